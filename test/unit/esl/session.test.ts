import { describe, expect, it } from 'vitest'
import { EslCommandFateUnknown, EslCommandInvalid, EslCommandNotSent } from '../../../packages/esl/errors.ts'
import { recordedBytes } from '../../support/engine/engine-recordings.ts'
import { caught, eslBench } from '../../support/engine/esl-bench.ts'
import { scriptedCoreUuid } from '../../support/engine/scripted-server.ts'

const { serving, session } = eslBench()

describe('a session', () => {
  it("a session logs in, asks for the engine's id, subscribes, and is ready before the first event", async () => {
    const seen: string[] = []
    await serving(async (peer) => {
      await peer.login()
      await peer.expect('api global_getvar core_uuid')
      peer.result(`${scriptedCoreUuid}\n`)
      await peer.expect('event json HEARTBEAT CUSTOM sofia::register')
      peer.send('Content-Type: command/reply\nReply-Text: +OK event listener enabled json\n\n')
      peer.event({ 'Event-Name': 'HEARTBEAT' })
    })
    const { until, states } = session({
      subscribe: ['HEARTBEAT', 'CUSTOM', 'sofia::register'],
      onState: ({ kind }) => seen.push(kind),
      onEvent: ({ name }) => seen.push(name),
    })

    await until(() => seen.includes('HEARTBEAT'))

    expect(seen).toEqual(['ready', 'HEARTBEAT'])
    expect(states).toEqual([{ kind: 'ready', coreUuid: scriptedCoreUuid }])
  })

  it('a session is ready without a name of the engine if the engine does not send it', async () => {
    await serving(async (peer) => {
      await peer.login()
      await peer.expect('api global_getvar core_uuid')
      peer.result('-ERR no reply\n')
    })

    const { ready, states } = session()
    await ready()

    expect(states).toEqual([{ kind: 'ready' }])
  })

  it('a session accepts no event before the engine has accepted the password, and sends the password only once', async () => {
    await serving(async (peer) => {
      peer.send('Content-Type: auth/request\n\n'.repeat(2))
      await peer.expect('auth ClueCon')
      peer.event({ 'Event-Name': 'HEARTBEAT' })
      peer.reply('+OK accepted')
      await peer.expect('api global_getvar core_uuid')
      peer.result(scriptedCoreUuid)
      await peer.expect('api status')
      peer.result('fine')
    })
    const { link, ready, events } = session()
    await ready()

    expect(await link.api('status')).toBe('fine')
    expect(events).toEqual([])
  })

  it('a session reads what a real engine sends between its replies', async () => {
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('api log info hello from log api')
      const recording = recordedBytes('session/log-frames').toString('latin1')
      const [, result = '', log = ''] = /(Content-Type: api.*?\+OK\n)(Content-Type: log.*?api\n)/s.exec(recording) ?? []
      peer.send(log)
      peer.send(result)
    })
    const { link, ready } = session()
    await ready()

    expect(await link.api('log info hello from log api')).toBe('+OK\n')
  })

  it('a session reports when it last received bytes from the engine, and counts connections, events and bytes', async () => {
    await serving((peer) => peer.ready())
    const { link, ready, time } = session()

    expect(link.heardAt).toBe(0)
    await ready()

    expect(link.heardAt).toBe(time.timers.now())
    expect(link.counts).toMatchObject({ connections: 1, events: 0 })
    expect(link.counts.bytes).toBeGreaterThan(100)
  })
})

describe('an event', () => {
  it('an event that cannot be read is counted and skipped', async () => {
    const problems: string[] = []
    await serving(async (peer) => {
      await peer.ready('ALL')
      peer.event({ 'Event-Name': 'FIRST' })
      peer.send('Content-Length: 9\nContent-Type: text/event-json\n\n{"a":oops')
      peer.send('Content-Length: 11\nContent-Type: text/event-xml\n\n<event/>   ')
      peer.event({ 'Event-Name': 'LAST' })
    })
    const { link, until, events } = session({
      subscribe: ['ALL'],
      onUnreadable: ({ contentType, bytes }) => problems.push(`${contentType} ${bytes}`),
    })

    await until(() => link.counts.events === 2)

    expect(events.map(({ name }) => name)).toEqual(['FIRST', 'LAST'])
    expect(problems).toEqual(['text/event-json 9', 'text/event-xml 11'])
    expect(link.counts.unreadableEvents).toBe(2)
  })

  it('a recorded event is read unchanged by a session', async () => {
    const recording = recordedBytes('events/sendevent-custom.json')
    await serving(async (peer) => {
      await peer.ready('MESSAGE CUSTOM engine::dialer_member_end')
      peer.send(recording.subarray(recording.indexOf('Content-Length: 660')))
    })
    const { link, until, events } = session({ subscribe: ['MESSAGE', 'CUSTOM', 'engine::dialer_member_end'] })

    await until(() => link.counts.events === 15)

    expect(events.map(({ sequence }) => Number(sequence))).toEqual([
      6831, 6832, 6833, 6834, 6835, 6836, 6837, 6838, 6839, 6840, 6841, 6842, 6844, 6845, 6846,
    ])
  })
})

describe('a changed subscription', () => {
  it('a changed subscription adds events before it removes others, and is used by the next connection', async () => {
    await serving(
      async (peer) => {
        await peer.ready('A CUSTOM c')
        await peer.expect('event json B CUSTOM d')
        peer.reply('+OK event listener enabled json')
        await peer.expect('nixevent A CUSTOM c')
        peer.reply('+OK events nixed')
        await peer.expect('event json E')
        peer.reply('+OK event listener enabled json')
        await peer.expect('api end')
        peer.reset()
      },
      (peer) => peer.ready('B E CUSTOM d'),
    )
    const { link, ready, isDown, time } = session({ subscribe: ['A', 'CUSTOM', 'c'] })
    await ready()

    await link.resubscribe(['B', 'CUSTOM', 'd'])
    await link.resubscribe(['B', 'E', 'CUSTOM', 'd'])
    await caught(link.api('end'))
    await time.advance((await isDown()).retryInMs)

    await ready()
  })

  it('a subscription that changed while the session is down is sent by the next connection', async () => {
    await serving(
      (peer) => peer.end(),
      (peer) => peer.ready('B'),
    )
    const { link, ready, isDown, time } = session({ subscribe: ['A'] })
    const { retryInMs } = await isDown()

    await link.resubscribe(['B'])
    await time.advance(retryInMs)

    await ready()
  })

  it('a subscription that changes during the login is sent right after it', async () => {
    const asked = Promise.withResolvers<void>()
    const changed = Promise.withResolvers<void>()
    const followed = Promise.withResolvers<void>()
    await serving(async (peer) => {
      await peer.login()
      await peer.expect('api global_getvar core_uuid')
      peer.result(scriptedCoreUuid)
      await peer.expect('event json A')
      asked.resolve()
      await changed.promise
      peer.reply('+OK event listener enabled json')
      await peer.expect('event json B')
      peer.reply('+OK event listener enabled json')
      await peer.expect('nixevent A')
      peer.reply('+OK events nixed')
      followed.resolve()
    })
    const { link } = session({ subscribe: ['A'] })
    await asked.promise

    await link.resubscribe(['B'])
    changed.resolve()

    await followed.promise
  })

  it('a subscription that is no list of words is refused when the session is opened', () => {
    expect(() => session({ subscribe: ['A B'] })).toThrow(EslCommandInvalid)
  })
})

describe('closing', () => {
  it('closing a session sends exit, ends pending commands and never reconnects', async () => {
    const server = await serving(async (peer) => {
      await peer.ready()
      await peer.expect('exit')
      peer.send(recordedBytes('session/auth-ok-exit').subarray(82))
      await peer.closed
    })
    const { link, ready, states, time } = session()
    await ready()

    await link.close()
    await time.advance(60_000)

    expect(states.at(-1)).toMatchObject({ kind: 'down', reason: 'stopped', retryInMs: Number.POSITIVE_INFINITY })
    expect(server.connections).toBe(1)
    await expect(link.api('status')).rejects.toThrow(EslCommandNotSent)
  })

  it('closing a session does not wait for an engine that does not answer', async () => {
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('api slow')
      await peer.closed
    })
    const { link, ready, time } = session()
    await ready()
    const slow = caught(link.api('slow'))

    const closed = link.close()
    await expect(link.api('status')).rejects.toThrow(EslCommandNotSent)
    await time.advance(1_000)

    await closed
    expect(await slow).toBeInstanceOf(EslCommandFateUnknown)
  })

  it('closing ends a session that waits to reconnect, and may be called twice', async () => {
    const server = await serving((peer) => peer.end())
    const { link, isDown, states, time } = session()
    await isDown()

    await link.close()
    await link.close()
    await time.advance(60_000)

    expect(states.map((state) => state.kind === 'down' && state.reason)).toEqual(['closed', 'stopped'])
    expect(server.connections).toBe(1)
  })
})
