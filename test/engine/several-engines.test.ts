/** Two engines of the kit that share their registrations. Skipped without `FREESWITCH_BIN`. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { planted } from '../support/invariants/secret-forms.ts'
import { type KitEngine, anEnginePlace, freeswitchBin, startKitEngine } from '../support/engine/kit-engine.ts'
import { openSipPhone } from '../support/engine/sip-phone.ts'
import { aPlatform, tenantPassword } from '../support/platform/platform.ts'
import { freePort } from '../../packages/laptop/processes/free-port.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'
const blue = 'blue.example.com'
const within = { timeout: 60_000, interval: 200 }

describe.skipIf(freeswitchBin === undefined)('two engines with one database of registrations', () => {
  const harness = opened(async () => {
    const closing = new AsyncDisposableStack()
    const [port, credential] = [await freePort(), planted('credential')]
    const places = [await anEnginePlace(), await anEnginePlace()]
    for (const place of places) closing.defer(() => place.remove())
    const database = `sqlite://${join(places[0]?.folder ?? '', 'registrations.db')}`
    const engines: KitEngine[] = []
    for (const [index, place] of places.entries()) {
      const engine = await startKitEngine(place, {
        PLATFORM_URL: `http://127.0.0.1:${port}`,
        ENGINE_CREDENTIAL: credential,
        ENGINE_NAME: `engine-${index}`,
        REGISTRATIONS_DB: database,
      })
      closing.defer(() => engine.stop())
      engines.push(engine)
    }
    const platform = await aPlatform({
      PORT: String(port),
      ENGINE_CREDENTIAL: credential,
      ENGINE_URL: places.map(({ socketPort }) => `esl://:ClueCon@127.0.0.1:${socketPort}`).join(','),
    })
    closing.defer(() => platform.close())
    const phone = async (login: string, domain: string, at: 0 | 1) => {
      const phone = await openSipPhone({
        port: places[at]?.sipPort ?? 0,
        login,
        domain,
        password: tenantPassword(login),
      })
      closing.defer(() => phone.close())
      expect(await phone.register()).toEqual({ status: 200, hasContact: true })
      return phone
    }
    return { platform, engines, phone, close: () => closing.disposeAsync() }
  })

  it('a call at one engine reaches an account of its domain that is registered at the other, and of no other domain', async () => {
    const admin = await harness().platform.tenant(acme)
    await harness().platform.tenant(blue)
    const caller = await harness().phone('1001', acme, 0)
    const called = await harness().phone('1002', acme, 1)
    const stranger = await harness().phone('1002', blue, 1)

    const call = await caller.call('1002')

    expect(call.status).toBe(200)
    expect([called.rang, stranger.rang]).toEqual([['1001'], []])
    const rows = async () => (await admin.call('listChannels')).data.rows.map(({ presence_id }) => presence_id)
    await expect.poll(async () => new Set(await rows()), within).toEqual(new Set([`1001@${acme}`, `1002@${acme}`]))
    await call.hangUp()
    await expect.poll(rows, within).toEqual([])

    await admin.call('originateCall', { body: { callerId: '1002', calledId: '1001' } })
    // The order is answered when the first phone has answered; the engine rings the other one then.
    await expect.poll(() => [called.rang.length, caller.rang.length], within).toEqual([2, 1])
    await expect.poll(async () => (await rows()).length, within).toBeGreaterThan(0)
  })

  it('a deleted account cannot be reached at any engine', async () => {
    const admin = await harness().platform.logIn(`1000@${acme}`, tenantPassword('1000'))
    const caller = await harness().phone('1001', acme, 0)
    const phone = await harness().phone('1002', acme, 1)
    const registeredAt = async () => {
      const lists = await Promise.all(harness().engines.map((engine) => engine.api('sofia status profile phones reg')))
      return lists.map((list) => list.includes(`1002=${acme}`))
    }
    await expect.poll(registeredAt, within).toContain(true)

    await admin.call('deleteAccount', { params: { account_id: '1002' } })

    // The engines forget the account and drop its phones soon after the answer, not before it.
    await expect.poll(async () => (await phone.register()).status, within).toBe(403)
    await expect.poll(registeredAt, within).toEqual([false, false])
    expect((await caller.call('1002')).status).toBeGreaterThanOrEqual(400)
    expect(phone.rang).toEqual([])
  })
})
