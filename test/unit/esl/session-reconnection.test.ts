import { describe, expect, it } from 'vitest'
import { EslCommandNotSent, EslCommandTimeout } from '../../../packages/esl/errors.ts'
import { recordedBytes } from '../../support/engine/engine-recordings.ts'
import { caught, eslBench } from '../../support/engine/esl-bench.ts'
import { scriptedCoreUuid, type ScriptedPeer } from '../../support/engine/scripted-server.ts'

const { serving, session } = eslBench()

describe('the session connects again', () => {
  it('the session connects again after growing waits while nothing listens', async () => {
    const gone = await serving()
    await gone.close()
    const { isDown, time, states } = session()

    const waits: number[] = []
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const { reason, retryInMs } = await isDown()
      expect(reason).toBe('unreachable')
      waits.push(retryInMs)
      await time.advance(retryInMs)
    }

    expect(waits).toEqual([250, 500, 1000, 2000])
    expect(states.map(({ kind }) => kind).slice(0, 4)).toEqual(['down', 'connecting', 'down', 'connecting'])
  })

  it('the session reconnects at once after a connection that had lasted', async () => {
    await serving(
      (peer) => peer.end(),
      async (peer) => {
        await peer.ready()
        await peer.expect('api end')
        peer.reset()
      },
    )
    const { link, isDown, ready, time } = session()
    await time.advance((await isDown()).retryInMs)
    await ready()
    await time.advance(9_500)

    await caught(link.api('end'))

    expect(await isDown()).toMatchObject({ retryInMs: 250 })
  })

  it('the session reconnects if the engine accepts the connection and sends no greeting for 5 s', async () => {
    const accepted = Promise.withResolvers<void>()
    await serving(() => accepted.resolve())
    const { isDown, time, states } = session()
    await accepted.promise

    await time.advance(4_999)
    expect(states).toEqual([])
    await time.advance(1)

    expect(await isDown()).toMatchObject({ reason: 'no-greeting' })
  })

  it('the session reconnects if the engine does not answer the password for 5 s', async () => {
    const asked = Promise.withResolvers<void>()
    await serving(async (peer) => {
      peer.send('Content-Type: auth/request\n\n')
      await peer.expect('auth ClueCon')
      asked.resolve()
    })
    const { isDown, time } = session()
    await asked.promise

    await time.advance(5_000)

    expect(await isDown()).toMatchObject({ reason: 'no-greeting' })
  })

  it.each([
    ['SSH', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['HTTP', 'HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n'],
  ])('the session reconnects when something else greets: %s', async (_, greeting) => {
    await serving((peer) => peer.send(greeting))
    const { isDown } = session()

    expect(await isDown()).toMatchObject({ reason: 'not-an-engine' })
  })

  it.each([
    ['the password is refused', 'auth-refused', 'session/auth-wrong-password'],
    ['its address is refused', 'access-rejected', 'session/acl-rejected'],
  ])('the session does not connect again within 5 s after %s', async (_, reason, recording) => {
    const server = await serving(
      (peer) => peer.send(recordedBytes(recording)),
      (peer) => peer.closed,
    )
    const { isDown, until, time } = session({ password: 'wrong-password' })

    const down = await isDown()
    expect(down).toMatchObject({ reason, retryInMs: 5_000 })
    expect(JSON.stringify(down) + down.error.message).not.toContain('wrong-password')
    await time.advance(4_999)
    expect(server.connections).toBe(1)

    await time.advance(1)
    await until(() => server.connections === 2)
  })

  it('the session reconnects when the engine refuses the subscription', async () => {
    await serving(async (peer) => {
      await peer.login()
      await peer.expect('api global_getvar core_uuid')
      peer.result(scriptedCoreUuid)
      await peer.expect('event json HEARTBEAT')
      peer.reply('-ERR permission denied')
    })
    const { isDown } = session({ subscribe: ['HEARTBEAT'] })

    expect(await isDown()).toMatchObject({ reason: 'subscription-refused' })
  })

  it('the session reconnects when a reply is so late that it could be confused with others', async () => {
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('api swallowed')
      await peer.closed
    })
    const { link, ready, isDown, time } = session()
    await ready()

    const swallowed = caught(link.api('swallowed'))
    await time.advance(10_000)
    expect(await swallowed).toBeInstanceOf(EslCommandTimeout)
    await time.advance(30_000)

    expect(await isDown()).toMatchObject({ reason: 'reply-overdue' })
  })
})

describe('an idle connection', () => {
  it('an idle connection is probed before it has been silent for too long, and stays if the engine answers', async () => {
    await serving(async (peer) => {
      await peer.ready()
      for (let times = 0; times < 3; times += 1) {
        await peer.expect('api uptime')
        peer.result('12')
      }
    })
    const { link, ready, time, until } = session()
    await ready()

    for (let times = 0; times < 3; times += 1) {
      const before = link.counts.bytes
      await time.advance(22_500)
      await until(() => link.counts.bytes > before)
    }

    expect(link.state.kind).toBe('ready')
  })

  it('an idle connection is given up after 45 s without a byte', async () => {
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('api uptime')
    })
    const { link, ready, isDown, time } = session()
    await ready()

    await time.advance(44_999)
    expect(link.state.kind).toBe('ready')
    await time.advance(1)

    expect(await isDown()).toMatchObject({ reason: 'silent' })
  })

  it('a connection whose probe is not answered is given up even while events arrive, and later subscriptions apply to the next one', async () => {
    const asked = Promise.withResolvers<ScriptedPeer>()
    await serving(
      async (peer) => {
        await peer.ready('HEARTBEAT')
        await peer.expect('api uptime')
        asked.resolve(peer)
        await peer.closed
      },
      (peer) => peer.ready('HEARTBEAT CHANNEL_CREATE'),
    )
    const { link, ready, isDown, time, until } = session({ subscribe: ['HEARTBEAT'] })
    await ready()
    await time.advance(22_500)
    const peer = await asked.promise

    const resubscribed = caught(link.resubscribe(['HEARTBEAT', 'CHANNEL_CREATE']))
    for (let beat = 1; beat <= 2; beat += 1) {
      peer.event({ 'Event-Name': 'HEARTBEAT' })
      await until(() => link.counts.events === beat)
      await time.advance(20_000)
    }

    expect(await isDown()).toMatchObject({ reason: 'reply-overdue' })
    expect(await resubscribed).toBeInstanceOf(EslCommandNotSent)
    await time.advance(250)
    await ready()
  })

  it('a connection is not probed while events arrive', async () => {
    const events = Promise.withResolvers<ScriptedPeer>()
    await serving(async (peer) => {
      await peer.ready('HEARTBEAT')
      events.resolve(peer)
      await peer.expect('api status')
      peer.result('fine')
    })
    const { link, ready, time, until } = session({ subscribe: ['HEARTBEAT'] })
    await ready()
    const peer = await events.promise

    for (let beat = 1; beat <= 4; beat += 1) {
      await time.advance(20_000)
      peer.event({ 'Event-Name': 'HEARTBEAT' })
      await until(() => link.counts.events === beat)
    }

    expect(await link.api('status')).toBe('fine')
  })
})
