// oxlint-disable unicorn/no-thenable -- the contract calls a branch of `if` so, and it is a list
import { beforeEach, describe, expect, it } from 'vitest'
import { handler as createDefaultRoute } from '../../../functions/default-routes/create-default-route.ts'
import { handler as simulateDefaultRoutes } from '../../../functions/default-routes/simulate-default-routes.ts'
import { handler as lookUpDialplan } from '../../../functions/engine/look-up-dialplan.ts'
import { type Api, anApi } from '../../support/platform/api.ts'
import { aGateway } from '../../support/records/records.ts'
import { engineAuthorization } from '../../support/platform/engine-credential.ts'

let api: Api
let headers: Record<string, string>

beforeEach(async () => {
  api = anApi()
  headers = { ...(await api.as(await api.account({ login: '1000', domain: 'a.example.com', role: 'admin' }))) }
})

const route = (destination_number: string, callflow: unknown) =>
  api.call(createDefaultRoute, { headers, body: { destination_number, callflow } })
const simulate = async (body: object) => (await api.call(simulateDefaultRoutes, { headers, body })).body.data
const applications = (data: { steps: { path: string; application?: string; data?: string }[] }) =>
  data.steps.flatMap(({ path, application, data: of }) =>
    path === 'call' || application === undefined ? [] : [`${application} ${of}`.trim()],
  )
const list = (name: string, number: string) =>
  api.ports.blacklists.add(
    { id: 'f'.repeat(24), domain: 'a.example.com', list: name, number, createdAt: 0 },
    { entries: 9, lists: 9 },
  )

describe('a simulated call', () => {
  it('a call to an account of the domain rings that account', async () => {
    const data = await simulate({ number: '1000', caller: '1000' })

    expect(data.matched).toEqual({ kind: 'account', name: '1000' })
    expect(applications(data)).toContain('bridge user/1000@a.example.com')
  })

  it.each(['..', '.', '1-x'])(
    'a call to the stored login %s rings it, and opens a mailbox unless its folder would be another',
    async (login) => {
      await api.account({ login, domain: 'a.example.com', parameters: { 'vm-enabled': 'true' }, numbers: ['77'] })

      const rung = applications(await simulate({ number: '77', caller: '1000' }))

      expect(rung).toContain(`bridge user/${login}@a.example.com`)
      expect(rung.includes(`voicemail default a.example.com ${login}`)).toBe(login === '1-x')
    },
  )

  it('a call is routed by the number before its parameters, also to an emergency number and an account', async () => {
    await route('99', [{ if: { expression: "${destination_number} == '99'", then: [{ hangup: 'USER_BUSY' }] } }])

    expect((await simulate({ number: '99;npdi;rn=1' })).end).toEqual({ cause: 'USER_BUSY' })
    expect((await simulate({ number: '1000;user=phone' })).matched).toEqual({ kind: 'account', name: '1000' })
    expect((await simulate({ number: '112;phone-context=+49' })).matched.kind).toBe('none')
  })

  it('a call follows proposed routes instead of the stored ones, which stay', async () => {
    await route('99', [{ hangup: 'USER_BUSY' }])
    const proposed = { destination_number: '99', name: 'new', callflow: [{ hangup: 'CALL_REJECTED' }] }
    const routes = [
      { ...proposed, order: 2, callflow: [] },
      { ...proposed, order: 1 },
    ]

    const data = await simulate({ number: '99', routes })

    expect(data).toMatchObject({ matched: { kind: 'default', name: 'new' }, end: { cause: 'CALL_REJECTED' } })
    expect((await simulate({ number: '99' })).end).toEqual({ cause: 'USER_BUSY' })
    expect((await simulate({ number: '99', routes: [] })).matched).toEqual({ kind: 'none' })
  })

  it('a proposed default route that names a gateway is refused with the position of the field', async () => {
    const one = { destination_number: '99', callflow: [{ hangup: 'USER_BUSY' }] }
    const routes = [one, { ...one, gateway: 'trunk' }]

    for (const direction of [{}, { direction: 'internal' }]) {
      const answer = await api.call(simulateDefaultRoutes, { headers, body: { number: '99', routes, ...direction } })

      const problem = 'is for public routes: simulate these with the direction inbound'
      expect(answer.status).toBe(400)
      expect(answer.body.details).toEqual([{ field: 'routes[1].gateway', problem }])
    }
  })

  it('a proposed route that could not be stored is refused', async () => {
    const routes = [{ destination_number: '(' }]

    const answer = await api.call(simulateDefaultRoutes, { headers, body: { number: '99', routes } })

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
  })

  it('a call follows the first route whose pattern matches the whole number, with its captures', async () => {
    await api.ports.gateways.create(aGateway({ name: 'gw' }), 9)
    await route('99', [{ hangup: 'USER_BUSY' }])
    await route('9(\\d+)', [
      { answer: '' },
      { bridge: { endpoints: [{ type: 'gateway', name: 'gw', dialString: '00$1' }] } },
    ])

    const data = await simulate({ number: '9901' })

    expect(data.considered.map(({ reason }: { reason: string }) => reason)).toEqual(['does not match', 'matches'])
    expect(applications(data)).toEqual([
      'answer',
      'set sip_copy_custom_headers=false',
      'set sip_copy_multipart=false',
      'set hangup_after_bridge=true',
      'set continue_on_fail=false',
      'bridge [origination_caller_id_number=pbx,origination_caller_id_name=pbx]sofia/gateway/a.example.com_gw/00901',
    ])
    expect(data.end).toEqual({ application: 'bridge' })
  })

  it('the step after an unanswered bridge decides what the caller is told, not the called side', async () => {
    await api.ports.gateways.create(aGateway({ name: 'gw' }), 9)
    await route('9(\\d+)', [
      { bridge: { endpoints: [{ type: 'gateway', name: 'gw', dialString: '$1' }] } },
      { hangup: 'USER_BUSY' },
    ])

    const data = await simulate({ number: '9901' })

    expect(applications(data)).toContain('set sip_ignore_remote_cause=true')
    expect(data.end).toEqual({ cause: 'USER_BUSY' })
  })

  it('a call rings the account that the dialled number names, and none for a text that is no name', async () => {
    await route('7(.+)', [{ bridge: { endpoints: [{ type: 'user', name: '$1' }] } }])

    expect(applications(await simulate({ number: '71000' })).at(-1)).toBe('bridge user/1000@a.example.com')
    expect(applications(await simulate({ number: '7-x' }))).toEqual([])
  })

  it('a condition after a wait is decided when the engine asks again', async () => {
    const condition = { expression: '${x_vip} == 1', then: [{ hangup: 'USER_BUSY' }], else: [{ echo: '' }] }
    await route('5', [{ setVar: 'x_vip=1' }, { sleep: 100 }, { if: condition }])

    const data = await simulate({ number: '5' })

    expect(applications(data)).toEqual([
      'set x_vip=1',
      'sleep 100',
      expect.stringMatching(/^set svc_route=[0-9a-f]{24}:2:5$/),
      'transfer 5 XML a.example.com',
      'unset svc_route',
      'set sip_ignore_remote_cause=true',
      'hangup USER_BUSY',
    ])
    expect(data.end).toEqual({ cause: 'USER_BUSY' })
  })

  it('a blacklisted caller is refused, but not when it calls an emergency number', async () => {
    await list('spam', '700')
    await route('\\d+', [{ blackList: 'spam' }, { answer: '' }])

    expect((await simulate({ number: '5', caller: '700' })).end).toEqual({ cause: 'CALL_REJECTED' })
    expect(applications(await simulate({ number: '5', caller: '701' }))).toEqual(['answer'])
    expect(applications(await simulate({ number: '112', caller: '700' }))).toEqual(['answer'])
  })

  it.each([
    ['anonymous', 'Anonymous'],
    ['anonymous', 'ANONYMOUS'],
    ['alice', 'Alice'],
    ['+442071838750', '00442071838750'],
    ['+442071838750', '442071838750'],
    ['+442071838750', '020 7183-8750'],
    // From before the domain named its country.
    ['02071838750', '02071838750'],
  ])('the entry %s refuses the caller %s', async (number, caller) => {
    const domain = await api.ports.domains.read('a.example.com')
    if (domain === undefined) throw new Error('no domain')
    const parameters = { 'country-code': '44' }
    await api.ports.domains.replaceSettings({ ...domain, parameters, version: domain.version + 1 })
    await list('spam', number)
    await route('5', [{ blackList: { name: 'spam', number: caller } }, { answer: '' }])

    expect((await simulate({ number: '5', caller: '1000' })).end).toEqual({ cause: 'CALL_REJECTED' })
  })

  it('a blacklisted caller is refused although the blacklist was asked for an empty number before', async () => {
    await list('spam', '700')
    await route('5(0)?', [{ blackList: { name: 'spam', number: '$1' } }, { blackList: 'spam' }, { answer: '' }])

    expect((await simulate({ number: '5', caller: '700' })).end).toEqual({ cause: 'CALL_REJECTED' })
  })

  it('a route that asks too many blacklists ends the call instead of running in part', async () => {
    const asks = (from: number) => Array.from({ length: 150 }, (_, index) => ({ blackList: `list${from + index}` }))
    const condition = (from: number) => ({ if: { expression: '1', then: asks(from) } })
    await route('5', [{ setVar: 'x_a=1' }, condition(0), condition(150), { answer: '' }])

    expect((await simulate({ number: '5', caller: '700' })).end).toEqual({ cause: 'NORMAL_TEMPORARY_FAILURE' })
  })

  it('a route that loops ends in the simulation as at the engine', async () => {
    await route('5', [{ goto: '5' }])

    expect((await simulate({ number: '5' })).end).toEqual({ cause: 'EXCHANGE_ROUTING_ERROR' })
  })
})

it('the engine is answered with the applications that the simulation shows', async () => {
  await route('5', [{ answer: '' }, { playback: { tone: 'busy' } }])
  const basic = engineAuthorization(api.ports.secrets.engine)

  const answer = await api.call(lookUpDialplan, {
    rawBody: 'section=dialplan&Hunt-Context=a.example.com&Hunt-Destination-Number=5',
    headers: { ...basic, 'content-type': 'application/x-www-form-urlencoded' },
  })

  expect(answer.status).toBe(200)
  expect(
    [...answer.text.matchAll(/application="(answer|playback)" data="([^"]*)"/g)].map(([, name, data]) => [name, data]),
  ).toEqual([
    ['answer', ''],
    ['playback', 'tone_stream://%(500,500,480,620);loops=1'],
  ])
})
