import { beforeEach, describe, expect, it } from 'vitest'
import { handler as createDefaultRoute } from '../../../functions/default-routes/create-default-route.ts'
import { handler as simulateDefaultRoutes } from '../../../functions/default-routes/simulate-default-routes.ts'
import type { Gateway } from '../../../core/gateways/gateway.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { aGateway } from '../../support/records/records.ts'

const domain = 'a.example.com'
let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  const admin = { login: 'alice', domain, role: 'admin', numbers: ['1000'] }
  headers = { ...(await api.as(await api.account(admin))) }
})

const gateway = (given: Partial<Gateway> = {}) => api.ports.gateways.create(aGateway({ domain, ...given }), 9)
const save = (dialString: unknown, bridge: object = {}, destination_number = '0(.+)') =>
  api.call(createDefaultRoute, {
    headers,
    body: {
      destination_number,
      callflow: [{ bridge: { endpoints: [{ type: 'gateway', name: 'trunk', dialString }], ...bridge } }],
    },
  })
const bridgeOf = async (number = '0200', caller?: string): Promise<string> => {
  const { body } = await api.call(simulateDefaultRoutes, { headers, body: { number, caller } })
  return body.data.steps.findLast(({ kind }: { kind: string }) => kind === 'bridge').data ?? 'left out'
}
const dialled = `sofia/gateway/${domain}_trunk/00200`

describe('a bridge to a gateway', () => {
  it('a gateway without settings is called with only the number', async () => {
    await gateway()
    await save('00$1')

    expect(await bridgeOf()).toBe(dialled)
  })

  it.each([
    ['the number of a gateway', { callerId: 'number:+380441234567' }, '+380441234567', 'alice'],
    ['the number of the calling account', { callerId: 'account' }, '1000', 'alice'],
  ])('the called party sees %s', async (_what, given, shown, caller) => {
    await gateway(given)
    await save('00$1')

    expect(await bridgeOf('0200', caller)).toBe(
      `[origination_caller_id_number=${shown},origination_caller_id_name=${shown}]${dialled}`,
    )
  })

  it('a call without an account keeps its caller id at a gateway that shows the account', async () => {
    await gateway({ callerId: 'account' })
    await save('00$1')

    expect(await bridgeOf('0200', '4711')).toBe(dialled)
  })

  it('each leg through a gateway with a limit is counted, and the engine refuses it over the limit', async () => {
    await gateway({ maxCalls: 7 })
    await save('00$1')
    await save('$0', {}, '112')
    const count = `limit_ignore_transfer=true,execute_on_originate=limit hash gateway ${domain}_trunk`

    expect(await bridgeOf()).toBe(`[${count} 7 !NORMAL_CIRCUIT_CONGESTION]${dialled}`)
    expect(await bridgeOf('112')).toBe(`[${count} -1]sofia/gateway/${domain}_trunk/112`)
  })

  it('a disabled gateway, a missing one, and one of another domain are not called', async () => {
    await gateway({ domain: 'b.example.com' })
    await save('00$1')
    expect(await bridgeOf()).toBe('error/INVALID_GATEWAY')

    await gateway({ enabled: false })
    expect(await bridgeOf()).toBe('error/INVALID_GATEWAY')
  })

  it('the settings of a step follow those of the gateway in the command, so that they win', async () => {
    await gateway({ maxCalls: 1 })
    const endpoints = [
      { type: 'user', name: '1001' },
      { type: 'gateway', name: 'trunk', dialString: '1', variables: { x_team: 'sales' } },
      { type: 'gateway', name: 'other', dialString: '1' },
    ]
    await save('', { endpoints })

    expect(await bridgeOf()).toMatch(
      /^user\/1001@a\.example\.com\|\[limit_ignore_transfer=true,.*,x_team=sales\]sofia\/gateway\/a\.example\.com_trunk\/1\|error\/INVALID_GATEWAY$/,
    )
  })

  it.each(['', 'bob', '1 2', '1;2', '1@other', '1/2', '$1a', '0'.repeat(66)])(
    'a route that dials %j through a gateway is refused',
    async (dialString) => {
      const { status, body } = await save(dialString)

      expect([status, body.details[0].field]).toEqual([400, expect.stringMatching(/^callflow\[0\]\.bridge/)])
    },
  )

  it('a dialled text with letters is not sent to any gateway', async () => {
    await gateway()
    await save('$1')

    expect(await bridgeOf('0bob')).toBe('left out')
    expect(await bridgeOf('0*21#')).toBe(`sofia/gateway/${domain}_trunk/*21#`)
  })
})
