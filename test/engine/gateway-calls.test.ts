/** Calls through gateways and from them at a real engine of the kit. Skipped without `FREESWITCH_BIN`. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Client, Input } from '../../client/index.ts'
import type { Receiver } from '../../local/demo/receiver.ts'
import { createTaken, trunkTo } from '../support/engine/gateway-taken.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aGatewayHarness } from '../support/engine/kit-harness.ts'
import type { SipPhone } from '../support/engine/sip-phone.ts'
import { opened } from '../support/processes/opened.ts'

const [acme, blue] = ['acme.example.com', 'blue.example.com']
/** The addresses of two providers, and of a caller that is neither. */
const [provider, rival, stranger] = ['127.0.0.11', '127.0.0.12', '127.0.0.13']

/** The contract's most for a change of a gateway to be in force. */
const recognized = { timeout: 10_000, interval: 500 }

/** Answers of SIP: a refusal (CALL_REJECTED), no such number, busy, and over the limit. */
const [rejected, unallocated, busy, congested] = [603, 404, 486, 503]

/** The number of the call whose events hooks get, and those events. */
const heard = '48'
const callEvents = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE']

describe.skipIf(freeswitchBin === undefined)('calls of gateways at an engine of the kit', () => {
  const harness = opened(() => aGatewayHarness())
  let made:
    | { admin: Client; stranger: Client; caller: SipPhone; called: SipPhone; far: SipPhone; receiver: Receiver }
    | undefined
  const the = () => {
    if (made === undefined) throw new Error('the tenants and phones are made first')
    return made
  }
  /** A SIP party at a loopback address, as a provider is: it answers every call, and calls the profile of gateways. */
  const party = (login: string, ip: string) => harness().phone(login, '127.0.0.1', { port: harness().gatewayPort, ip })
  const route = (destination_number: string, callflow: unknown[], client = the().admin) =>
    client.call('createDefaultRoute', { body: { destination_number, callflow } })
  const publicRoute = (destination_number: string, callflow: unknown[], client = the().admin) =>
    client.call('createPublicRoute', { body: { destination_number, callflow } })
  const dial = (name: string, dialString: string) => ({
    bridge: { endpoints: [{ type: 'gateway', name, dialString }] },
  })
  const gateway = (body: Input<'createGateway'>['body'], domain = acme, client = the().admin) =>
    createTaken({ engine: harness().engine, client, domain }, body)
  const trunk = (name: string, more: Partial<Input<'createGateway'>['body']> = {}) =>
    trunkTo({ address: the().far.address, ip: provider }, name, more)

  beforeAll(async () => {
    const admin = await harness().platform.tenant(acme)
    const other = await harness().platform.tenant(blue)
    const [caller, called] = [await harness().phone('1000', acme), await harness().phone('1001', acme)]
    for (const phone of [caller, called]) await phone.register()
    const receiver = await harness().platform.receiver()
    const action = { type: 'web' as const, method: 'POST', url: receiver.url }
    const filter = { 'Caller-Destination-Number': { operation: '==' as const, value: heard } }
    await admin.call('createHooks', { body: callEvents.map((event) => ({ event, action, filter })) })
    made = { admin, stranger: other, caller, called, far: await party('provider', provider), receiver }
    // All before the first call: what its domain's calls are decided by is kept for a second, also that a gateway is
    // missing.
    await gateway(trunk('trunk'))
    await gateway(trunk('fixed', { caller_id: 'number:380441112233' }))
    await gateway(trunk('personal', { caller_id: 'account' }))
    await gateway(trunk('narrow', { max_calls: 1 }))
    await gateway(trunk('both', { max_calls: 1, networks: [`${rival}/32`] }))
  })

  it('a call through a gateway arrives with the dialled digits and the number of its caller', async () => {
    await route('90(\\d+)', [dial('trunk', '00$1')])

    const call = await the().caller.call('90441234')

    expect(call.status).toBe(200)
    expect([the().far.rang.at(-1), the().far.dialled.at(-1)]).toEqual(['1000', '00441234'])
    await call.hangUp()
  })

  it('a gateway shows its own number or the outbound one of the calling account, as its settings say', async () => {
    const parameters = { params: { account_id: '1001' }, body: { variables: ['outbound_caller_id_number=4711'] } }
    await the().admin.call('updateAccount', parameters)
    await route('91(\\d+)', [dial('fixed', '$1')])
    await route('92(\\d+)', [dial('personal', '$1')])

    for (const number of ['911', '921']) {
      const call = await the().called.call(number)
      expect(call.status).toBe(200)
      await call.hangUp()
    }

    expect(the().far.rang.slice(-2)).toEqual(['380441112233', '4711'])
  })

  it('a route continues if its gateway is over the limit, an emergency call passes, and an ended call makes room', async () => {
    await route('93', [dial('narrow', '1')])
    await route('94', [dial('narrow', '2'), { hangup: 'USER_BUSY' }])
    await route('112', [dial('narrow', '112')])
    const { caller, called, far } = the()

    const call = await caller.call('93')
    expect(call.status).toBe(200)
    expect((await called.call('93')).status).toBe(congested)
    expect((await called.call('94')).status).toBe(busy)
    const emergency = await called.call('112')
    expect([emergency.status, far.dialled.at(-1)]).toEqual([200, '112'])
    await emergency.hangUp()
    await call.hangUp()

    const usage = () => harness().engine.api(`limit_usage hash gateway ${acme}_narrow`)
    await expect.poll(usage, { timeout: 10_000, interval: 100 }).toBe('0')
    const next = await called.call('93')
    expect(next.status).toBe(200)
    await next.hangUp()
  })

  it('a route cannot use a gateway of another domain or a disabled one', async () => {
    const phone = await harness().phone('1000', blue)
    await phone.register()
    await route('95', [dial('trunk', '1'), { hangup: 'USER_BUSY' }], the().stranger)
    await the().admin.call('createGateway', { body: { ...trunk('off'), enabled: false } })
    await route('96', [dial('off', '1'), { hangup: 'USER_BUSY' }])
    const before = the().far.rang.length

    expect((await phone.call('95')).status).toBe(busy)
    expect((await the().caller.call('96')).status).toBe(busy)
    expect(the().far.rang).toHaveLength(before)
  })

  it('a call from a gateway uses the public route of its number, and rings an account', async () => {
    await publicRoute('44(1001)', [{ goto: '$1' }])

    const call = await the().far.call('441001')

    expect([call.status, the().called.rang.at(-1)]).toEqual([200, 'provider'])
    await call.hangUp()
    expect((await the().far.call('1001')).status).toBe(unallocated)
    expect((await the().far.call('112')).status).toBe(unallocated)
  })

  it('hooks get the events of a call from a gateway, including its beginning', async () => {
    await publicRoute(heard, [{ answer: '' }, { echo: '' }])

    const call = await the().far.call(heard)
    await call.hangUp()

    const { receiver } = the()
    const bodies = await Promise.all(callEvents.map(async (event) => JSON.parse((await receiver.next(event)).body)))
    expect(bodies.map(({ data }) => data['Event-Domain'])).toEqual([acme, acme, acme])
    expect(new Set(bodies.map(({ data }) => data['Unique-ID'])).size).toBe(1)
  })

  it('a caller from another address reaches nothing, not even at the contact of a gateway', async () => {
    const outsider = await party('provider', stranger)

    expect((await outsider.call('441001')).status).toBe(rejected)
    expect((await outsider.call(`gw+${acme}_trunk`)).status).toBe(rejected)
  })

  it('a public route is decided again after a wait, and its calls are counted at the gateway', async () => {
    const far = await party('rival', rival)
    await publicRoute('45', [
      { answer: '' },
      { setVar: 'x_a=1' },
      { sleep: 50 },
      { if: { expression: '${x_a} == 1', ['then']: [{ echo: '' }] } },
    ])
    await route('97', [dial('both', '1')])
    await publicRoute('47', [{ hangup: 'USER_BUSY' }])
    await expect.poll(async () => (await far.call('47')).status, recognized).toBe(busy)

    const call = await far.call('45')

    expect(call.status).toBe(200)
    expect((await far.call('45')).status).toBe(congested)
    expect((await the().caller.call('97')).status).toBe(congested)
    await call.hangUp()
  })

  it('a call from a network of two domains is routed by the domain that it names, else by what root has confirmed, else by age', async () => {
    const login = await party('shared', '127.0.0.21')
    const networks = ['127.0.0.21/32']
    await gateway(trunk('shared', { networks }))
    await gateway(trunk('shared', { networks }), blue, the().stranger)
    await publicRoute('46', [{ hangup: 'USER_BUSY' }], the().stranger)
    const named = await harness().phone('shared', blue, { port: harness().gatewayPort, ip: '127.0.0.21' })

    await expect.poll(async () => (await named.call('46')).status, recognized).toBe(busy)
    // The older gateway is that of acme, which has no such route.
    expect((await login.call('46')).status).toBe(unallocated)

    const root = await harness().platform.root()
    const { data } = await root.call('listGateways', { query: { domain: blue } })
    expect(data.find(({ name }) => name === 'shared')?.overlaps).toEqual([`${acme}/shared`])
    const confirmation = { params: { gateway_name: 'shared' }, body: { confirmed_networks: networks } }
    await root.call('updateGateway', { ...confirmation, query: { domain: blue } })
    await expect.poll(async () => (await login.call('46')).status, recognized).toBe(busy)
  })

  it('a call to the contact of a registered gateway is accepted because it comes from its proxy', async () => {
    const credentials = { username: '1003', password: 'plain-1' }
    await the().stranger.call('createAccount', { body: { login: '1003', role: 'user', password: 'plain-1' } })
    const proxy = `127.0.0.1:${harness().place.sipPort}`
    await gateway({ name: 'registered', realm: blue, proxy, ...credentials })
    // The engine calls a contact by its own address, so that the To header has its user.
    await publicRoute(String.raw`gw\+${acme}_registered`, [{ goto: '1001' }])
    const phone = await harness().phone('1001', blue)
    await phone.register()

    const call = await phone.call('1003')

    expect([call.status, the().called.rang.at(-1)]).toEqual([200, '1001'])
    await call.hangUp()
  })
})
