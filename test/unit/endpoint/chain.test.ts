import { expect, it } from 'vitest'
import { readAccount } from '../../../contracts/routes/accounts.ts'
import { beginExchange } from '../../../functions/endpoint/exchange.ts'
import { authentication } from '../../../functions/endpoint/steps/authentication.ts'
import { fieldValidation } from '../../../functions/endpoint/steps/field-validation.ts'
import type { Step } from '../../../functions/endpoint/endpoint-parts.ts'
import { useCaseCall } from '../../../functions/endpoint/use-case-call.ts'
import { aContext, anApi, gatewayEvent } from '../../support/platform/api.ts'

/** An endpoint over memory, and a request of it that no step has seen. */
function setUp() {
  const { ports, tools } = anApi()
  let calls = 0
  const useCase = async () => {
    calls += 1
  }
  const exchange = beginExchange(gatewayEvent(readAccount, { params: { account_id: '1000' } }), tools)
  const pass = async ({ before }: Step) =>
    before?.({
      event: exchange,
      context: aContext as never,
      response: undefined,
      error: undefined,
      internal: {},
    })
  return { endpoint: { route: readAccount, ports, tools, useCase }, exchange, pass, calls: () => calls }
}

it('an endpoint chain without the credential read lets no request with a token pass', async () => {
  const { endpoint, pass } = setUp()

  await expect(pass(authentication(endpoint))).rejects.toThrow('the chain lacks the step "credential read"')
})

it('an endpoint chain without the reading of the request validates no fields', async () => {
  const { pass } = setUp()

  await expect(pass(fieldValidation(readAccount))).rejects.toThrow('the chain lacks the step "request syntax"')
})

it('an endpoint chain without the permission check never calls the use case', async () => {
  const { endpoint, exchange, pass, calls } = setUp()
  exchange.raw = { params: { account_id: '1000' }, query: {}, body: undefined }
  await pass(fieldValidation(readAccount))

  await expect(useCaseCall(endpoint)(exchange)).rejects.toThrow('the chain lacks the step "permission check"')
  expect(calls()).toBe(0)
})
