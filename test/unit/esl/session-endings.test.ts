import { describe, expect, it } from 'vitest'
import { EslCommandFateUnknown, EslCommandNotSent, type EslDownReason } from '../../../packages/esl/errors.ts'
import { frame } from '../../support/engine/engine-frames.ts'
import { recordedBytes, recordedFrames } from '../../support/engine/engine-recordings.ts'
import { jsonOfPlain } from '../../support/engine/plain-events.ts'
import { caught, eslBench } from '../../support/engine/esl-bench.ts'
import { type ScriptedPeer } from '../../support/engine/scripted-server.ts'

const { serving, session } = eslBench()

describe('when the connection ends', () => {
  it('the fate of a sent command is unknown when the connection ends, an unsent one has not run, and neither is sent again', async () => {
    await serving(
      async (peer) => {
        await peer.ready('HEARTBEAT')
        await peer.expect('api originate user/1000 &park()')
        peer.send(notice('The system is being shut down.'))
      },
      async (peer) => {
        await peer.ready('HEARTBEAT')
        await peer.expect('api status')
        peer.result('fine')
      },
    )
    const { link, ready, isDown, time } = session({ subscribe: ['HEARTBEAT'] })
    await ready()

    const sent = caught(link.api('originate user/1000 &park()'))
    const unsent = caught(link.api('version'))
    expect(await isDown()).toMatchObject({ reason: 'disconnected', retryInMs: 250 })
    expect(await sent).toBeInstanceOf(EslCommandFateUnknown)
    expect(await unsent).toBeInstanceOf(EslCommandNotSent)

    await time.advance(250)
    await ready()

    expect(await link.api('status')).toBe('fine')
    expect(link.counts.connections).toBe(2)
  })

  const endings: [string, EslDownReason, (peer: ScriptedPeer) => void][] = [
    ['in order', 'closed', (peer) => peer.end()],
    ['by a reset', 'closed', (peer) => peer.reset()],
    ['with a notice', 'disconnected', (peer) => peer.send(notice('Disconnected, goodbye.'))],
    ['with the notice of a restart', 'disconnected', (peer) => peer.send(noticeOf('session/reload-mod-event-socket'))],
    ['because it did not keep up', 'overflow', (peer) => endInsideAnEvent(peer)],
    ['because the framing is lost', 'framing-lost', (peer) => peer.send('}\n\nContent-Type: auth/request\n\n')],
    [
      'because a body is too long',
      'framing-lost',
      (peer) => peer.send('Content-Type: log/data\nContent-Length: 9999999999\n\n'),
    ],
  ]
  it.each(endings)('the session is down when %s, for the reason %s', async (_, reason, ending) => {
    await serving(async (peer) => {
      await peer.ready('HEARTBEAT')
      ending(peer)
    })
    const { isDown } = session({ subscribe: ['HEARTBEAT'] })

    expect(await isDown()).toMatchObject({ reason, retryInMs: 250, error: { reason } })
  })

  it('no event is taken from bytes that were read after the framing was lost', async () => {
    await serving(async (peer) => {
      await peer.ready('HEARTBEAT')
      peer.event({ 'Event-Name': 'HEARTBEAT' })
      const made = '{"Event-Name":"MADE_UP"}'
      peer.send(`ontent-Length: ${made.length}\nContent-Type: text/event-json\n\n${made}`)
      peer.event({ 'Event-Name': 'HEARTBEAT' })
    })
    const { isDown, events } = session({ subscribe: ['HEARTBEAT'] })

    expect(await isDown()).toMatchObject({ reason: 'framing-lost' })
    expect(events.map(({ name }) => name)).toEqual(['HEARTBEAT'])
  })

  it('a disconnect notice that cuts an event in two is recognised', async () => {
    await serving(async (peer) => {
      await peer.ready('HEARTBEAT')
      const notice =
        'Content-Type: text/disconnect-notice\nContent-Length: 39\n\nkilled listener because of lost events\n'
      peer.send(`Content-Length: 40\nContent-Type: text/event-json\n\n{"Event-Name":"HEART${notice}`)
    })
    const { isDown, events } = session({ subscribe: ['HEARTBEAT'] })

    expect(await isDown()).toMatchObject({ reason: 'overflow' })
    expect(events).toEqual([])
  })

  it('a disconnect notice at the end of an event is recognised, wherever it is cut', async () => {
    const tail = recordedBytes('session/killed-for-lost-events.tail')
    const noticeBytes = tail.subarray(tail.lastIndexOf('Content-Type: text/disconnect-notice'))
    for (const taken of [1, 40, noticeBytes.length - 8, noticeBytes.length]) {
      const [listening, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      await serving(async (peer) => {
        await peer.ready('HEARTBEAT')
        await listening.promise
        const begin = 'Event-Name: HEARTBEAT\nEvent-Date-Local: 202'
        const head = `Content-Length: ${begin.length + taken}\nContent-Type: text/event-plain\n\n`
        peer.send(Buffer.concat([Buffer.from(head + begin), noticeBytes.subarray(0, 70)]))
        await arrived.promise
        peer.send(noticeBytes.subarray(70))
        peer.end()
      })
      const { link, isDown, until, events } = session({ subscribe: ['HEARTBEAT'] })
      await until(() => link.state.kind === 'ready')
      const before = link.counts.bytes
      listening.resolve()
      await until(() => link.counts.bytes > before)
      arrived.resolve()

      expect(await isDown(), `${taken}`).toMatchObject({ reason: 'overflow' })
      expect(events).toEqual([])
    }
  })

  it.each([
    ['two frames that are none', 'X-One: 1\n\nX-Two: 2\n\n'],
    ['two frames that do not say how long they are', 'Content-Type: a/new\n\nContent-Type: a/new\n\n'],
    [
      'an event that cannot be read and the rest of another',
      'Content-Length: 2\nContent-Type: text/event-plain\n\nA:\nRest: 1\n\n',
    ],
    ['an invalid length and a body', 'Content-Length: x\nContent-Type: log/data\n\nbody: of a log line\n\n'],
  ])('the framing of a session is lost by %s', async (_, bytes) => {
    await serving(async (peer) => {
      await peer.ready('HEARTBEAT')
      peer.send(bytes)
      peer.event({ 'Event-Name': 'HEARTBEAT' })
    })
    const { link, isDown, events } = session({ subscribe: ['HEARTBEAT'] })

    expect(await isDown()).toMatchObject({ reason: 'framing-lost' })
    expect(link.counts.unreadableEvents).toBe(1)
    expect(events).toEqual([])
  })

  it('a frame of an unknown kind does not end the session', async () => {
    const skipped: string[] = []
    await serving(async (peer) => {
      await peer.ready('HEARTBEAT')
      for (const odd of ['Content-Type: text/event-new\nContent-Length: 5\n\nhello', 'X-Unknown: 1\n\n']) {
        peer.send(odd)
        peer.event({ 'Event-Name': 'HEARTBEAT' })
      }
    })
    const { link, until, events } = session({
      subscribe: ['HEARTBEAT'],
      onUnreadable: ({ contentType, bytes, takesDown }) => skipped.push(`${contentType} ${bytes} ${takesDown}`),
    })

    await until(() => events.length === 2)

    expect(skipped).toEqual(['text/event-new 5 event', ' 0 event'])
    expect(link.counts).toMatchObject({ unreadableEvents: 2, events: 2 })
  })

  it('any number of frames of unknown kinds with a length do not end the session', async () => {
    await serving(async (peer) => {
      await peer.ready('HEARTBEAT')
      for (let count = 0; count < 5; count += 1) peer.send('Content-Type: text/event-new\nContent-Length: 5\n\nhello')
      peer.send('Content-Length: 2\nContent-Type: text/event-plain\n\nA:')
      peer.send('Content-Length: 0\nContent-Type: log/new\n\n')
      peer.event({ 'Event-Name': 'HEARTBEAT' })
    })
    const { link, until, events } = session({ subscribe: ['HEARTBEAT'] })

    await until(() => events.length === 1 || link.state.kind === 'down')

    expect(link.counts).toMatchObject({ connections: 1, unreadableEvents: 7, events: 1 })
  })

  it('frames after a disconnect notice are ignored', async () => {
    await serving(async (peer) => {
      await peer.ready('HEARTBEAT')
      const body = '{"Event-Name":"HEARTBEAT"}'
      const event = `Content-Length: ${body.length}\nContent-Type: text/event-json\n\n${body}`
      peer.send(`${notice('Disconnected, goodbye.')}${event}`)
    })
    const { isDown, events } = session({ subscribe: ['HEARTBEAT'] })

    await isDown()

    expect(events).toEqual([])
  })

  it('a notice that the connection will linger does not end the session', async () => {
    await serving(async (peer) => {
      await peer.ready('HEARTBEAT')
      const recording = recordedBytes('subscribe/myevents-inbound')
      const linger = recording.lastIndexOf('Content-Type: ', recording.indexOf('Content-Disposition: linger'))
      const frames = recordedFrames('subscribe/myevents-inbound').filter(({ off }) => off >= linger)
      for (const { off, hlen, blen, type } of frames) {
        const body = recording.subarray(off + hlen, off + hlen + blen)
        const isPlain = type === 'text/event-plain'
        peer.send(isPlain ? frame('text/event-json', jsonOfPlain(body)) : recording.subarray(off, off + hlen + blen))
      }
    })
    const { isDown, events } = session({ subscribe: ['HEARTBEAT'] })

    expect(await isDown()).toMatchObject({ reason: 'disconnected' })
    expect(events.map(({ name }) => name)).toContain('CHANNEL_HANGUP')
  })
})

function notice(text: string): string {
  return `Content-Type: text/disconnect-notice\nContent-Length: ${text.length + 1}\n\n${text}\n`
}

function noticeOf(recording: string): Buffer {
  const bytes = recordedBytes(recording)
  return bytes.subarray(bytes.indexOf('Content-Type: text/disconnect-notice'))
}

/** As an engine ends a listener whose events it has lost: in the middle of one. */
function endInsideAnEvent(peer: ScriptedPeer): void {
  const tail = recordedBytes('session/killed-for-lost-events.tail')
  peer.send(tail.subarray(tail.indexOf('Content-Length')))
  peer.end()
}
