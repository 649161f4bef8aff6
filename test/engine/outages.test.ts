/**
 * Tests that a real engine of the kit goes on while the platform or the engine is away. Skipped without
 * `FREESWITCH_BIN`.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { runCommand } from '../support/platform/command.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { type KitHarness, aKitHarness } from '../support/engine/kit-harness.ts'
import { opened } from '../support/processes/opened.ts'
import { planted } from '../support/invariants/secret-forms.ts'
import type { SipPhone } from '../support/engine/sip-phone.ts'
import { type TcpProxy, startTcpProxy } from '../support/processes/tcp-proxy.ts'

const acme = 'acme.example.com'
const within = { timeout: 120_000, interval: 200 }

const registered = async (harness: KitHarness, login: string): Promise<SipPhone> => {
  const phone = await harness.phone(login, acme)
  expect(await phone.register()).toEqual({ status: 200, hasContact: true })
  return phone
}
const cdrs = async (client: Client, query: string) => {
  const { hits } = await client.call('searchCdrs', { query: { leg: 'a' }, body: { query } })
  return hits.hits.map(({ _source }) => _source ?? {})
}

describe.skipIf(freeswitchBin === undefined)('while the platform is away', () => {
  // A registration lasts 2 s here instead of an hour, so that phones renew it several times; answers are kept until
  // flushed.
  const harness = opened(() => aKitHarness({ settings: { SHORTEST_REGISTRATION: '1', LONGEST_REGISTRATION: '2' } }))

  it('phones renew their registrations and call each other, and the CDRs of their calls are posted later', async () => {
    await harness().platform.tenant(acme)
    const [caller, called] = [await registered(harness(), '1001'), await registered(harness(), '1002')]
    await harness().platform.stop()

    for (const calls of [1, 2, 3]) {
      for (const phone of [caller, called]) expect((await phone.register()).status).toBe(200)
      const call = await caller.call('1002')
      expect(call.status).toBe(200)
      await call.hangUp()
      expect(called.rang).toHaveLength(calls)
    }

    await expect.poll(() => readdirSync(harness().place.cdrs).length, within).toBe(6)
    harness().platform = await harness().startPlatform()
    const config = join(harness().place.folder, 'credential')
    writeFileSync(config, `user = "engine:${planted('credential')}"\n`, { mode: 0o600 })
    const post = await runCommand(
      'sh',
      ['engine/bin/post-cdrs', harness().place.cdrs, `${harness().platformUrl}/engine/cdr`, config],
      { cwd: process.cwd(), env: { ...process.env, POST_CDRS_MIN_AGE_MINUTES: '0' } },
    )
    expect(post).toMatchObject({ status: 0, output: '' })
    expect(readdirSync(harness().place.cdrs)).toEqual(['refused'])
    const admin = await harness().platform.logIn(`1000@${acme}`, planted('secret of 1000'))
    await expect.poll(async () => (await cdrs(admin, 'destination_number:1002')).length, within).toBe(3)
    for (const cdr of await cdrs(admin, 'destination_number:1002')) {
      expect(cdr).toMatchObject({ presence_id: `1001@${acme}`, domain_name: acme })
    }
  })
})

describe.skipIf(freeswitchBin === undefined)('while the link to the engine is down', () => {
  let isCut = false
  const links = new Set<{ reset(): void }>()
  const proxies: TcpProxy[] = []
  afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())))
  const harness = opened(() =>
    aKitHarness({
      socketPort: async (port) => {
        const proxy = await startTcpProxy(port)
        proxies.push(proxy)
        proxy.onConnection = (connection) => {
          if (isCut) connection.reset()
          else links.add(connection)
        }
        return proxy.port
      },
    }),
  )

  it('a password that is changed during an outage is also forgotten by the engine when the link is back', async () => {
    const admin = await harness().platform.tenant(acme)
    const phone = await registered(harness(), '1002')
    isCut = true
    for (const link of links) link.reset()

    const password = planted('next')
    await admin.call('updateAccount', { params: { account_id: '1002' }, body: { password } })
    expect((await phone.register()).status).toBe(200)
    isCut = false

    await expect.poll(async () => (await phone.register()).status, within).toBe(403)
    expect((await (await harness().phone('1002', acme, { password })).register()).status).toBe(200)
  })
})

describe.skipIf(freeswitchBin === undefined).each([
  ['killed', 'SIGKILL'],
  ['stopped', 'SIGTERM'],
] as const)('an engine that is %s during a call', (what, signal) => {
  const harness = opened(() => aKitHarness())

  it(`an engine that was ${what} and starts again has lost its call; the end of the call is recorded, phones register again and call each other`, async () => {
    const admin = await harness().platform.tenant(acme)
    const [caller, called] = [await registered(harness(), '1001'), await registered(harness(), '1002')]
    expect((await caller.call('1002')).status).toBe(200)
    const rows = async () => (await admin.call('listChannels')).data.rows
    await expect.poll(async () => (await rows()).length, within).toBe(2)
    const uuids = (await rows()).map(({ uuid }) => uuid)

    await harness().engine.stop(signal)
    harness().engine = await harness().startEngine()

    await expect.poll(() => rows().catch(() => undefined), within).toEqual([])
    const ended = async () => {
      const { hits } = await admin.call('searchCdrs', { query: { leg: '*' }, body: { query: '' } })
      return hits.hits.map(({ _source }) => _source ?? {})
    }
    await expect.poll(async () => new Set((await ended()).map(({ uuid }) => uuid)), within).toEqual(new Set(uuids))
    for (const cdr of await ended()) expect(cdr['duration']).toEqual(expect.any(Number))
    for (const phone of [caller, called]) expect((await phone.register()).status).toBe(200)
    const again = await caller.call('1002')
    expect(again.status).toBe(200)
    await again.hangUp()
    expect(called.rang).toHaveLength(2)
    expect(harness().errors()).toEqual([])
  })
})
