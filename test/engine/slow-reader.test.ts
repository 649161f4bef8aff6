/** An event link that reads no more for a while, at a real engine. Skipped without `FREESWITCH_BIN`. */
import { describe, expect, it, vi } from 'vitest'
import { openEslSession } from '@callplane/esl'
import { openEngineSocket } from '../support/engine/engine-socket.ts'
import { anEnginePlace, freeswitchBin, startKitEngine } from '../support/engine/kit-engine.ts'
import { opened } from '../support/processes/opened.ts'

const sent = 5_000
/** More in all than the sockets of both sides hold. */
const large = 'x'.repeat(4_000)
const within = { timeout: 120_000, interval: 50 }

describe.skipIf(freeswitchBin === undefined)('an event link whose reader has no room', () => {
  const running = opened(async () => {
    const place = await anEnginePlace()
    const engine = await startKitEngine(place, {
      PLATFORM_URL: 'http://127.0.0.1:9',
      ENGINE_CREDENTIAL: 'none',
      ENGINE_NAME: 'engine',
    })
    return { place, close: () => engine.stop().finally(() => place.remove()) }
  })

  it('the engine keeps what the link does not read, and sends every event in order when it reads on', async () => {
    const { place } = running()
    const room = Promise.withResolvers<void>()
    const state = { isFull: true, heard: new Array<number>() }
    const link = openEslSession({
      host: '127.0.0.1',
      port: place.socketPort,
      password: 'ClueCon',
      name: 'events',
      subscribe: ['CUSTOM', 'slow::reader'],
      onState: () => {},
      onEvent: (event) => void state.heard.push(Number(event.header('Number'))),
      room: () => (state.isFull && state.heard.length > 0 ? room.promise : undefined),
    })
    await vi.waitUntil(() => link.state.kind === 'ready', within)
    const sender = await openEngineSocket(place.socketPort)
    for (let count = 0; count < sent; count += 1) {
      sender.sendEvent('slow::reader', 'a.example.com', { name: 'Number', value: `${count}\nLarge: ${large}` })
      if (count % 1_000 === 999) await sender.api('uptime')
    }
    const answer = link.api('uptime')
    expect(state.heard.length).toBeLessThan(100)

    state.isFull = false
    room.resolve()
    await expect.poll(() => state.heard.length, within).toBe(sent)

    expect(state.heard).toEqual(Array.from({ length: sent }, (_, index) => index))
    expect(await answer).toMatch(/^\d+\s*$/)
    expect(link.counts.connections).toBe(1)
    expect(place.log()).not.toMatch(/Lost \[|Killing listener/)
    await Promise.all([link.close(), sender.close()])
  }, 240_000)
})
