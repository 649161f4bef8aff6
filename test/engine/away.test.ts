/** A platform that hangs, and an engine that starts late, with the kit. Skipped without `FREESWITCH_BIN`. */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { setInterval } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { planted } from '../support/invariants/secret-forms.ts'
import { openEventCounter } from '../support/engine/event-counter.ts'
import {
  type KitEngine,
  anEnginePlace,
  freeswitchBin,
  kitConfiguration,
  startKitEngine,
  withLoopback,
} from '../support/engine/kit-engine.ts'
import { openSipPhone } from '../support/engine/sip-phone.ts'
import { aPlatform, tenantPassword } from '../support/platform/platform.ts'
import { freePort } from '../../packages/laptop/processes/free-port.ts'

const acme = 'acme.example.com'
const within = { timeout: 60_000, interval: 200 }

describe.skipIf(freeswitchBin === undefined)('an engine of the kit', () => {
  it('calls end without a word to a platform that accepts connections and never answers', async () => {
    await using closing = new AsyncDisposableStack()
    const hung = await aHungServer()
    closing.defer(() => hung.close())
    const place = await anEnginePlace()
    closing.defer(() => place.remove())
    const platform = { PLATFORM_URL: `http://127.0.0.1:${hung.port}`, ENGINE_CREDENTIAL: planted('credential') }
    const engine = await startKitEngine(place, platform, withLoopback(kitConfiguration, place.folder))
    closing.defer(() => engine.stop())
    const counter = await openEventCounter(place.socketPort, ['CHANNEL_DESTROY'])
    closing.defer(() => counter.close())
    let placed = 0
    for await (const _tick of setInterval(100)) {
      counter.start(`originate {domain_name=${acme}}loopback/9196/${acme} &sleep(500)`)
      placed += 1
      if (placed === 100) break
    }

    await expect.poll(() => counter.heard.length, within).toBe(200)
    await expect.poll(() => readdirSync(place.cdrs).length, within).toBe(200)
    // A call that reported its end to the platform itself would have waited for it.
    expect(hung.asked().filter((request) => !/^POST \/engine\/(?:directory|dialplan)/.test(request))).toEqual([])
  })

  it('a platform that starts before its engine waits for it, and then a phone registers', async () => {
    await using closing = new AsyncDisposableStack()
    const place = await anEnginePlace()
    closing.defer(() => place.remove())
    const [port, credential] = [await freePort(), planted('credential')]
    const platform = await aPlatform({
      PORT: String(port),
      ENGINE_CREDENTIAL: credential,
      ENGINE_URL: `esl://:ClueCon@127.0.0.1:${place.socketPort}`,
      RECORDINGS_DIR: place.recordings,
    })
    closing.defer(() => platform.close())
    const admin = await platform.tenant(acme)
    const health = async () => (await fetch(`${platform.url}/health`)).status
    expect(await health()).toBe(503)
    expect((await admin.call('readStatus')).wConsole.status).toBe('Offline')

    const engine: KitEngine = await startKitEngine(place, {
      PLATFORM_URL: platform.url,
      ENGINE_CREDENTIAL: credential,
    })
    closing.defer(() => engine.stop())

    await expect.poll(health, within).toBe(200)
    expect((await admin.call('readStatus')).wConsole.status).toBe('Connected')
    const password = tenantPassword('1001')
    const phone = await openSipPhone({ port: place.sipPort, login: '1001', domain: acme, password })
    closing.defer(() => phone.close())
    expect((await phone.register()).status).toBe(200)
  })
})

/** Accepts connections, keeps what was sent, and never answers. */
async function aHungServer(): Promise<{ port: number; asked(): string[]; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const sent: { text: string }[] = []
  const server = createServer((socket) => {
    const record = { text: '' }
    sent.push(record)
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => void (record.text += bytes.toString('latin1')))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    asked: () => sent.map(({ text }) => text.split('\r\n', 1)[0] ?? ''),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
