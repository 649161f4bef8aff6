import { beforeEach, describe, expect, it } from 'vitest'
import { handler as createDefaultRoute } from '../../../functions/default-routes/create-default-route.ts'
import { handler as simulateDefaultRoutes } from '../../../functions/default-routes/simulate-default-routes.ts'
import type { Gateway } from '../../../core/gateways/gateway.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { aDomain, aGateway } from '../../support/records/records.ts'

const domain = 'a.example.com'
let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  const admin = {
    login: 'alice',
    domain,
    role: 'admin',
    numbers: ['1000'],
    variables: { outbound_caller_id_number: '380441230001' },
  }
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
const showing = (number: string) => `origination_caller_id_number=${number},origination_caller_id_name=${number}`
const parametersOfDomain = (parameters: Readonly<Record<string, string>>) =>
  api.ports.state.domains.set(domain, aDomain({ name: domain, parameters }))

describe('a bridge to a gateway', () => {
  it.each([
    ['the outbound number of the calling account', {}, '380441230001', 'alice'],
    ['the number of a gateway', { callerId: 'number:+380441234567' }, '+380441234567', 'alice'],
    ['the user of a gateway for a call without an account', { fromUser: 'office' }, 'office', '4711'],
    ['the username of a gateway without a user of its own', {}, 'pbx', '4711'],
    ['an anonymous caller, if there is nothing else', { username: undefined }, 'anonymous', '4711'],
    [
      'the account, although the gateway says keep, which root has not allowed',
      { callerId: 'keep' },
      '380441230001',
      'alice',
    ],
  ])('the called party sees %s', async (_what, given, shown, caller) => {
    await gateway(given)
    await save('00$1')

    expect(await bridgeOf('0200', caller)).toBe(`[${showing(shown)}]${dialled}`)
  })

  it('the called party sees what the phone sends only if root trusts the domain', async () => {
    await gateway({ callerId: 'keep' })
    await save('00$1')
    parametersOfDomain({ 'trusted-caller-ids': 'true' })

    const variables = { caller_id_number: '447700900123' }
    const { body } = await api.call(simulateDefaultRoutes, {
      headers,
      body: { number: '0200', caller: 'alice', variables },
    })
    const { data } = body.data.steps.at(-1)
    expect(data).toBe(`[${showing('447700900123')}]${dialled}`)
  })

  it.each(['account', 'keep', 'number:447700900123', 'number:380441230002'])(
    'a gateway with the caller id %s shows no number that is not in the list of root',
    async (callerId) => {
      await gateway({ callerId })
      await save('00$1')
      parametersOfDomain({ 'trusted-caller-ids': 'true', 'own-numbers': '380441230009,380441230002' })

      const shown = callerId.endsWith('30002') ? '380441230002' : '380441230009'
      expect(await bridgeOf('0200', 'alice')).toBe(`[${showing(shown)}]${dialled}`)
    },
  )

  it.each([
    ['a variable of the call', { setVar: 'effective_caller_id_number=447700900123' }],
    ['a variable of all legs', { setVar: 'all:effective_caller_id_number=447700900123' }],
    ['an exported variable', { exportVars: { outbound_caller_id_number: '447700900123' } }],
    ['the profile of the caller', { setProfileVar: 'caller_id_number=447700900123' }],
  ])('a route cannot show another number by %s', async (_what, step) => {
    await gateway()
    const bridge = { endpoints: [{ type: 'gateway', name: 'trunk', dialString: '00$1' }] }
    const body = { destination_number: '0(.+)', callflow: [step, { bridge }] }
    expect((await api.call(createDefaultRoute, { headers, body })).status).toBe(200)

    expect(await bridgeOf('0200', 'alice')).toBe(`[${showing('380441230001')}]${dialled}`)
  })

  it('variables of an endpoint cannot show another number', async () => {
    await gateway()
    const variables = { effective_caller_id_number: '447700900123', outbound_caller_id_number: '447700900123' }
    await save('', { endpoints: [{ type: 'gateway', name: 'trunk', dialString: '1', variables }] })

    expect(await bridgeOf('0200', 'alice')).toContain(`,${showing('380441230001')}]sofia/gateway/`)
    const refused = { origination_caller_id_number: '447700900123' }
    const { status } = await save('', {
      endpoints: [{ type: 'gateway', name: 'trunk', dialString: '1', variables: refused }],
    })
    expect(status).toBe(400)
  })

  it('each leg through a gateway with a limit is counted, and the engine refuses it over the limit', async () => {
    await gateway({ maxCalls: 7 })
    await save('00$1')
    await save('$0', {}, '112')
    const count = `limit_ignore_transfer=true,execute_on_originate=limit hash gateway ${domain}_trunk`

    expect(await bridgeOf()).toBe(`[${showing('pbx')},${count} 7 !NORMAL_CIRCUIT_CONGESTION]${dialled}`)
    expect(await bridgeOf('112')).toBe(`[${showing('pbx')},${count} -1]sofia/gateway/${domain}_trunk/112`)
  })

  it('a disabled gateway, a missing one, and one of another domain are not called', async () => {
    await gateway({ domain: 'b.example.com' })
    await save('00$1')
    expect(await bridgeOf()).toBe('error/INVALID_GATEWAY')

    await gateway({ enabled: false })
    expect(await bridgeOf()).toBe('error/INVALID_GATEWAY')
  })

  it('the settings of a step precede those of the gateway in the command, so that the gateway wins', async () => {
    await gateway({ maxCalls: 1 })
    const endpoints = [
      { type: 'user', name: '1001' },
      { type: 'gateway', name: 'trunk', dialString: '1', variables: { x_team: 'sales' } },
      { type: 'gateway', name: 'other', dialString: '1' },
    ]
    await save('', { endpoints })

    expect(await bridgeOf()).toMatch(
      /^user\/1001@a\.example\.com\|\[x_team=sales,origination_.*,limit_ignore_transfer=true,.*\]sofia\/gateway\/a\.example\.com_trunk\/1\|error\/INVALID_GATEWAY$/,
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
    expect(await bridgeOf('0*21#')).toBe(`[${showing('pbx')}]sofia/gateway/${domain}_trunk/*21#`)
  })
})
