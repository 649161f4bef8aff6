import { describe, expect, it } from 'vitest'
import { eslBench } from '../../support/engine/esl-bench.ts'
import type { ScriptedPeer } from '../../support/engine/scripted-server.ts'
import { settle } from '../../support/processes/manual-time.ts'

const { serving, session } = eslBench()
const sent = 10_000
const filler = 'x'.repeat(1_000)

/** A session whose reader has no room after its first events, until `makeRoom`. */
async function fullSession(script: (peer: ScriptedPeer) => Promise<void> | void) {
  await serving(async (peer) => {
    await peer.ready('HEARTBEAT')
    for (let count = 0; count < sent; count += 1)
      peer.event({ 'Event-Name': 'HEARTBEAT', 'Event-Sequence': `${count}`, filler })
    await script(peer)
  })
  const room = Promise.withResolvers<void>()
  const [state, seen] = [{ isFull: true }, { events: 0, asked: 0 }]
  const opened = session({
    subscribe: ['HEARTBEAT'],
    onEvent: () => void (seen.events += 1),
    room: () => {
      if (seen.events === 0 || !state.isFull) return undefined
      seen.asked += 1
      return room.promise
    },
  })
  await opened.until(() => seen.asked > 0)
  const makeRoom = () => {
    state.isFull = false
    room.resolve()
  }
  return { ...opened, seen, makeRoom }
}

describe('while there is no room for events', () => {
  it('nothing more is read, and every event and the reply to a command come in order afterwards', async () => {
    const { link, time, until, events, seen, makeRoom } = await fullSession(async (peer) => {
      await peer.expect('api status')
      peer.result('fine')
    })
    const before = seen.events

    for (let turn = 0; turn < 20; turn += 1) await settle()
    const answer = link.api('status')
    await time.advance(5_000)
    expect([seen.events, seen.asked, link.state.kind]).toEqual([before, 1, 'ready'])
    expect(before).toBeLessThan(100)

    makeRoom()
    await until(() => seen.events === sent)
    expect(await answer).toBe('fine')
    expect(events.map(({ sequence }) => Number(sequence))).toEqual(Array.from({ length: sent }, (_, index) => index))
  })

  it('what an engine sent before it went is read before the session is down', async () => {
    const { isDown, seen, makeRoom } = await fullSession((peer) => peer.end())

    makeRoom()

    expect(await isDown()).toMatchObject({ reason: 'closed' })
    expect(seen.events).toBe(sent)
  })

  it('a session still logs in, since no event comes before its subscription', async () => {
    await serving((peer) => peer.ready('HEARTBEAT'))

    const { link, until } = session({ subscribe: ['HEARTBEAT'], room: () => new Promise(() => {}) })

    await until(() => link.state.kind === 'ready')
  })

  it('a session can be closed', async () => {
    const { close, link, seen } = await fullSession(() => {})
    const before = seen.events

    await close()

    expect([link.state.kind, seen.events]).toEqual(['down', before])
  })
})
