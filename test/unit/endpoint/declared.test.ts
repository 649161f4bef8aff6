import { describe, expect, it } from 'vitest'
import { logOut } from '../../../contracts/routes/auth.ts'
import { addBlacklistNumber } from '../../../contracts/routes/blacklists.ts'
import { lookUpDirectory } from '../../../contracts/routes/engine.ts'
import { readHealth } from '../../../contracts/routes/status.ts'
import { checkServed, checkedHandler, declaredBody } from '../../support/platform/declared.ts'
import { type ApiRequest, aContext, gatewayEvent } from '../../support/platform/api.ts'

const refusal = { status: 'error', code: 'not_found', info: 'gone', requestId: '1' }
const asJson = (status: number, body: unknown) => ({
  status,
  contentType: 'application/json',
  text: JSON.stringify(body),
})

describe('an answer in a test', () => {
  it('a test helper reads a response in the form that its route declares', () => {
    expect(declaredBody(logOut, asJson(200, { status: 'OK', info: 'done' }))).toEqual({ status: 'OK', info: 'done' })
    expect(declaredBody(logOut, asJson(404, refusal))).toEqual(refusal)
    expect(declaredBody(lookUpDirectory, { status: 200, contentType: 'text/xml', text: '<a/>' })).toBe('<a/>')
  })

  it.each([
    [200, { status: 'OK' }, 'another form'],
    [200, { status: 'OK', info: 'done', secret: 'x' }, 'more than its schema'],
    [200, refusal, 'another form'],
    [404, { status: 'OK', info: 'done' }, 'another form'],
    [404, { ...refusal, code: 'gone' }, 'another form'],
    [500, { ...refusal, stack: 'at' }, 'more than its schema'],
  ])('a test fails on an answer of %i with %j', (status, body, reason) => {
    expect(() => declaredBody(logOut, asJson(status, body))).toThrow(reason)
  })

  it('a test helper reads the special form of a failed health check', () => {
    expect(() => declaredBody(readHealth, asJson(503, refusal))).toThrow('its schema')
    expect(declaredBody(readHealth, asJson(500, refusal))).toEqual(refusal)
  })
})

describe('a request in a test', () => {
  const good = { params: { blacklist_name: 'spam' }, query: 'domain=a.example.com', text: '{"number":"1"}' }

  it('a test helper accepts a request whose response has the declared form', () => {
    expect(() => checkServed(addBlacklistNumber, good)).not.toThrow()
    expect(() => checkServed(logOut, {})).not.toThrow()
  })

  it.each([
    ['path', { ...good, params: { blacklist_name: 'a/b' } }],
    ['body', { ...good, text: '{"number":1}' }],
    ['body', { ...good, text: '' }],
  ])('a test fails on a request that was served although its %s is not as declared', (part, given) => {
    expect(() => checkServed(addBlacklistNumber, given)).toThrow(`the ${part} of a served request`)
  })
})

describe('a handler in a test', () => {
  const answers = (statusCode: number, body: unknown) =>
    checkedHandler(addBlacklistNumber, async () => ({
      statusCode,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }))
  const ask = (request: ApiRequest) =>
    gatewayEvent(addBlacklistNumber, { params: { blacklist_name: 'spam' }, ...request })
  const added = { ok: 1, Modified: 1, n: 1 }

  it.each([false, true])(
    'a handler in a test is compared with its route, also when the body came in base64: %s',
    async (base64) => {
      const encode = (text: string) => ({ base64, rawBody: base64 ? Buffer.from(text).toString('base64') : text })

      await expect(answers(200, added)(ask(encode('{"number":"1"}')), aContext)).resolves.toMatchObject({
        statusCode: 200,
      })
      await expect(answers(200, added)(ask(encode('{"number":1}')), aContext)).rejects.toThrow('of a served request')
      await expect(answers(404, refusal)(ask(encode('{"number":1}')), aContext)).resolves.toMatchObject({
        statusCode: 404,
      })
      await expect(answers(200, {})(ask(encode('{"number":"1"}')), aContext)).rejects.toThrow('another form')
    },
  )
})
