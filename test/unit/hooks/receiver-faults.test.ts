import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { DeliveryAttempt } from '../../../core/hooks/delivery/delivery.ts'
import { connectionAttempts } from '../../support/engine/connection-attempts.ts'
import { aGuardedHarness, aSink, checkAftermath, lastAttempt } from '../../support/hooks/guarded-harness.ts'
import { answering, type HookSink, httpAnswer, type SinkScript } from '../../support/hooks/hook-sink.ts'
import { checkInvariants } from '../../support/invariants/invariants.ts'
import { anEvent } from '../../support/records/records.ts'

it('F36 a receiver that is silent has 15 s in all, and the others of its batch do not wait for it', async () => {
  const silent = await aSink(() => undefined)
  const fast = await aSink()
  const harness = aGuardedHarness()
  const { id: silentHook } = await harness.hook(silent.url())
  const { id: fastHook, secret } = await harness.hook(fast.url())
  await harness.dispatch(anEvent())
  const asked = silent.nextRequest()
  const record = harness.nextRecord()

  const attempts = harness.attempt()
  expect(await record).toMatchObject({ hookId: fastHook, state: 'delivered' })
  await asked
  await harness.time.advance(14_999)
  const waiting = harness.deliveries().find(({ hookId }) => hookId === silentHook)
  expect(waiting).toMatchObject({ state: 'pending', attempts: [] })
  await harness.time.advance(1)
  await attempts

  const ended = harness.deliveries().find(({ hookId }) => hookId === silentHook)
  expect(ended).toMatchObject({ state: 'pending', attempts: [{ reason: 'timeout', durationMs: 15_000 }] })
  expect(ended?.nextAttemptAt).toBeGreaterThanOrEqual(harness.time.clock.now() + 5_000)
  checkAftermath(harness, [silent, fast], [secret])
})

it('F36 a receiver that never completes its TLS handshake is given up after 5 s', async () => {
  const sink = await aSink()
  const harness = aGuardedHarness({ resolve: () => ['127.0.0.1'] })
  await harness.hook(`https://mute.example.com:${sink.port}/`)
  await harness.dispatch(anEvent())
  const accepted = sink.nextConnection()

  const attempts = harness.attempt()
  await accepted
  await harness.time.advance(5_000)
  await attempts

  expect(lastAttempt(harness)).toMatchObject({ reason: 'timeout', durationMs: 5_000 })
  checkAftermath(harness, [sink])
})

it('F37 a receiver that answers byte by byte has 15 s in all, not 15 s between bytes', async () => {
  const bytes = httpAnswer(200, 'slow')
  let socket: Socket | undefined
  const sink = await aSink((connected) => {
    socket = connected
  })
  const harness = aGuardedHarness()
  await harness.hook(sink.url())
  await harness.dispatch(anEvent())
  const asked = sink.nextRequest()
  const closed = sink.nextClose()

  const attempts = harness.attempt()
  await asked
  for (let second = 0; second < 14; second += 1) {
    await new Promise((written) => socket?.write(bytes.charAt(second), written))
    await harness.time.advance(1_000)
    expect(harness.deliveries()).toMatchObject([{ state: 'pending', attempts: [] }])
  }
  await harness.time.advance(1_000)
  await attempts
  await closed

  expect(lastAttempt(harness)).toMatchObject({ reason: 'timeout', durationMs: 15_000 })
  checkAftermath(harness, [sink])
})

describe('F38 an answer that is huge', () => {
  /** Writes for as long as somebody reads. */
  const flooding =
    (head: string, piece: Buffer | string): SinkScript =>
    (socket) => {
      socket.write(head)
      const flood = (): void => {
        while (!socket.destroyed && socket.write(piece));
      }
      socket.on('drain', flood)
      flood()
    }
  // A member of a gzip file is one by itself: 64 of them are 1 GiB of zeros.
  const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024))
  const bombHead = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length * 64}\r\n\r\n`

  it.each<[string, SinkScript, Partial<DeliveryAttempt>, string]>([
    [
      'without end, of a success',
      flooding('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(16_384)),
      { status: 200, replySnippet: 'x'.repeat(1024) },
      'delivered',
    ],
    [
      'without end, of a failure',
      flooding('HTTP/1.1 500 No\r\n\r\n', 'x'.repeat(16_384)),
      { status: 500, reason: 'status 500' },
      'pending',
    ],
    ['of 1 GiB of compressed zeros', flooding(bombHead, bomb), { status: 200 }, 'delivered'],
  ])(
    'an answer of a receiver with %s is read up to 20 KB, and its status decides',
    async (_title, script, attempt, state) => {
      const sink = await aSink(script)
      const harness = aGuardedHarness()
      await harness.hook(sink.url())
      const closed = sink.nextClose()

      const deliveries = await harness.deliver(anEvent())
      await closed

      expect(deliveries).toMatchObject([{ state, attempts: [attempt] }])
      checkInvariants({
        bounds: [
          { of: 'what is kept of an answer', value: lastAttempt(harness)?.replySnippet?.length ?? 0, limit: 1024 },
        ],
      })
      checkAftermath(harness, [sink])
    },
  )

  it('an answer with huge headers is a failed attempt', async () => {
    const sink = await aSink(flooding('HTTP/1.1 200 OK\r\n', `x-a: ${'x'.repeat(8_192)}\r\n`))
    const harness = aGuardedHarness()
    await harness.hook(sink.url())
    const closed = sink.nextClose()

    const deliveries = await harness.deliver(anEvent())
    await closed

    expect(deliveries).toMatchObject([{ state: 'pending', attempts: [{ reason: 'network' }] }])
    checkAftermath(harness, [sink])
  })
})

describe('F41 a redirect', () => {
  it.each([
    [301, 'to another receiver', (second: HookSink) => second.url('/secret')],
    [302, 'to another receiver', (second: HookSink) => second.url('/secret')],
    [303, 'to another receiver', (second: HookSink) => second.url('/secret')],
    [307, 'to the same path on 127.0.0.1', (second: HookSink) => `http://127.0.0.1:${second.port}/in`],
    [308, 'to a file', () => 'file:///etc/passwd'],
    [301, 'to itself', () => '/in'],
    [300, 'without a target', () => ''],
  ])(
    'an answer %i %s of a receiver is a failed attempt with its status, and no other hook sees anything',
    async (status, _title, target) => {
      const second = await aSink()
      const location = target(second)
      const first = await aSink(answering(status, '', location === '' ? {} : { location }))
      const harness = aGuardedHarness()
      await harness.hook(first.url('/in'))
      const attempts = connectionAttempts()

      const deliveries = await harness.deliver(anEvent())

      expect(deliveries).toMatchObject([{ state: 'failed', attempts: [{ status, reason: `status ${status}` }] }])
      expect(first.requests).toHaveLength(1)
      expect(second.connections()).toBe(0)
      expect(attempts()).toEqual([`127.0.0.1:${first.port}`])
      checkAftermath(harness, [first, second])
    },
  )

  it('a redirect in the response to the auth pre-request is not followed either', async () => {
    const second = await aSink()
    const first = await aSink(answering(302, '', { location: second.url() }))
    const receiver = await aSink()
    const harness = aGuardedHarness()
    await harness.hook(receiver.url(), { auth: { enabled: true, url: first.url() } })

    await harness.deliver(anEvent())

    expect(lastAttempt(harness)).toMatchObject({ reason: 'auth_failed' })
    expect([second.connections(), receiver.connections()]).toEqual([0, 0])
    checkAftermath(harness, [receiver])
  })
})
