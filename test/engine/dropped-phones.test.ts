/** Phones of an account that was deleted and made again, at a real engine. Skipped without `FREESWITCH_BIN`. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Client } from '../../client/index.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { type RecordingProxy, startRecordingProxy } from '../support/engine/recording-proxy.ts'
import { tenantPassword } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'

const domain = 'acme.example.com'

describe.skipIf(freeswitchBin === undefined)('an account that was deleted and made again', () => {
  let proxy: RecordingProxy
  const harness = opened(() =>
    aKitHarness({ socketPort: async (socketPort) => (proxy = await startRecordingProxy(socketPort)).port }),
  )
  afterAll(() => proxy.close())
  let admin: Client | undefined

  beforeAll(async () => {
    admin = await harness().platform.tenant(domain)
  })

  const stateOf = async (login: string) => {
    const accounts = await admin?.call('listAccounts', {})
    return accounts?.data[login]?.state
  }
  const isListed = async (login: string) => (await harness().engine.api('show registrations')).includes(`${login}=`)

  /** A flush is repeated, so that what the engine keeps from then on stays. */
  const flushes = () => proxy.commands().filter((command) => command.endsWith(`xml_flush_cache id 1002 ${domain}`))

  it('its old phone is not there, though the engine still lists it when the platform comes back', async () => {
    await expect.poll(() => flushes().length, { timeout: 20_000 }).toBe(2)
    const [old, other] = [await harness().phone('1001', domain), await harness().phone('1002', domain)]
    expect([(await old.register()).status, (await other.register()).status]).toEqual([200, 200])
    await vi.waitUntil(async () => (await stateOf('1001')) === 'onhook' && (await stateOf('1002')) === 'onhook', 20_000)

    await admin?.call('deleteAccount', { params: { account_id: '1001' } })
    await vi.waitUntil(
      async () => !(await harness().engine.api('sofia status profile phones reg')).includes('1001='),
      20_000,
    )
    await admin?.call('createAccount', { body: { login: '1001', password: tenantPassword('1001'), role: 'user' } })
    await other.register(0)
    await vi.waitUntil(async () => (await stateOf('1002')) === 'nonreg', 20_000)
    await harness().platform.stop()
    // The engine keeps the answer of the directory, so that phones register while the platform is away.
    expect((await other.register()).status).toBe(200)
    expect(await isListed('1001')).toBe(true)
    harness().platform = await harness().startPlatform()

    // The comparison of all phones has found the one that came meanwhile.
    await vi.waitUntil(async () => (await stateOf('1002')) === 'onhook', 60_000)
    expect(await stateOf('1001')).toBe('nonreg')
    expect(await isListed('1001')).toBe(true)
  }, 120_000)
})
