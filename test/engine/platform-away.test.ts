/** What callers get from an engine of the kit while the platform is away. Skipped without `FREESWITCH_BIN`. */
import { afterAll, describe, expect, it } from 'vitest'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { type RecordingProxy, startRecordingProxy } from '../support/engine/recording-proxy.ts'
import { freePort } from '../../packages/laptop/processes/free-port.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'
/** The other side of the trunk, and an address that no gateway knows. */
const [provider, stranger] = ['127.0.0.30', '127.0.0.31']
const [unavailable, rejected, noRoute, busy] = [503, 603, 404, 486]

describe.skipIf(freeswitchBin === undefined)('while the platform is away', () => {
  let proxy: RecordingProxy
  let port: number
  const harness = opened(async () => {
    port = await freePort()
    return aKitHarness({
      settings: { GATEWAY_SIP_PORT: String(port) },
      socketPort: async (socketPort) => (proxy = await startRecordingProxy(socketPort)).port,
      platform: { HOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
      sharesRecordings: false,
    })
  })
  afterAll(() => proxy.close())
  const party = (ip: string) => harness().phone('party', 'provider.example.com', { port, ip })
  /** A flush is repeated, so that what the engine keeps from then on stays. */
  const flushes = () => proxy.commands().filter((command) => command.endsWith(`xml_flush_cache id 1002 ${acme}`))

  it('a carrier gets 503, and strangers are declined only by the platform; phones reach registered phones at once', async () => {
    const admin = await harness().platform.tenant(acme)
    const networks = [`${provider}/32`]
    await admin.call('createGateway', {
      body: { name: 'trunk', realm: 'provider.example.com', register: false, networks },
    })
    await admin.call('createPublicRoute', { body: { destination_number: '44', callflow: [{ hangup: 'USER_BUSY' }] } })
    const [carrier, outsider] = [await party(provider), await party(stranger)]
    await expect.poll(async () => (await carrier.call('44')).status, { timeout: 10_000 }).toBe(busy)
    expect((await carrier.call('45')).status).toBe(noRoute)
    expect((await outsider.call('44')).status).toBe(rejected)
    expect((await outsider.call('')).status).toBe(rejected)
    await expect.poll(() => flushes().length, { timeout: 10_000 }).toBe(2)
    const [caller, called] = [await harness().phone('1001', acme), await harness().phone('1002', acme)]
    for (const phone of [caller, called]) expect((await phone.register()).status).toBe(200)
    expect((await caller.call('777')).status).toBe(noRoute)
    await harness().platform.stop()
    const lookups = () => harness().place.log().split('/engine/directory').length

    expect((await carrier.call('44')).status).toBe(unavailable)
    expect((await outsider.call('44')).status).toBe(unavailable)
    // Nothing is asked of the platform but the route, not even when the engine keeps no answer about the called
    // account.
    await harness().engine.api(`xml_flush_cache id 1002 ${acme}`)
    const before = lookups()
    const call = await caller.call('1002')
    expect([call.status, called.rang.at(-1)]).toEqual([200, '1001'])
    await call.hangUp()
    const recorded = await caller.call('*11002')
    expect([recorded.status, called.rang]).toEqual([200, ['1001', '1001']])
    await recorded.hangUp()
    expect((await caller.call('*11000')).status).toBe(noRoute)
    expect((await caller.call('777')).status).toBe(noRoute)
    expect((await caller.call('1000')).status).toBe(noRoute)
    expect(lookups() - before).toBe(0)
  })
})
