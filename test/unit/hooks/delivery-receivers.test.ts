import { describe, expect, it } from 'vitest'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { hookClientLimits, hookClientOver } from '../../../adapters/http/guarded-hook-client.ts'
import {
  type DeliveryLab,
  aDeliveryLab,
  anArrival,
  answered,
  checkDeliveries,
} from '../../support/hooks/delivery-lab.ts'
import { type SinkScript, startHookSink } from '../../support/hooks/hook-sink.ts'
import type { HookRequest } from '../../../core/hooks/request/hook-client.ts'

const second = 1_000

const statuses = (lab: DeliveryLab, hook: { id: string }) => lab.delivery(hook).attempts.map(({ status }) => status)

/** The seconds between one attempt and the next. */
function waits(lab: DeliveryLab, hook: { id: string }): number[] {
  const times = lab.delivery(hook).attempts.map(({ at }) => at)
  return times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / second)
}

describe('F35 a receiver that answers 500, then 200', () => {
  it('a receiver that answers 500, then 200 gets the attempts after the waits of the contract, and the log has each of them', async () => {
    const lab = aDeliveryLab()
    const body = 'x'.repeat(2_000)
    const hook = await lab.hook({ answers: [answered(500, { body }), 502, 503, answered(200, { body: 'thanks' })] })
    const event = anArrival()
    await lab.dispatch([event])
    await lab.settle()

    const planned = [5, 30, 300]
    for (const [index, wait] of waits(lab, hook).entries()) {
      expect(wait).toBeGreaterThanOrEqual(planned[index] ?? 0)
      // Jitter, and the whole seconds of the queue.
      expect(wait).toBeLessThanOrEqual((planned[index] ?? 0) * 1.2 + 1)
    }
    expect(lab.delivery(hook).attempts).toMatchObject([
      { status: 500, reason: 'status 500', replySnippet: 'x'.repeat(1024) },
      { status: 502 },
      { status: 503 },
      { status: 200, replySnippet: 'thanks' },
    ])
    checkDeliveries(lab, [event], [hook])
  })

  it('a retry can wait longer than a message can be delayed, since the message is queued again', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500, 200], delay: 3_600, retries: 1 })
    await lab.dispatch([anArrival()])
    await lab.work()

    const hops: number[] = []
    while (lab.delivery(hook).state === 'pending') {
      hops.push(...lab.messages().map(({ delaySeconds }) => delaySeconds))
      lab.moveToNext()
      await lab.work()
    }

    expect(hops.every((delay) => delay <= 900)).toBe(true)
    expect(hops.length).toBeGreaterThanOrEqual(4)
    expect(lab.requests(hook)).toHaveLength(2)
    expect(waits(lab, hook)[0]).toBeGreaterThanOrEqual(3_600)
  })
})

/** A receiver on a socket, and the real client with timers that run when the test says so. */
async function aWire(script: SinkScript) {
  const sink = await startHookSink(script)
  const timers = new Set<{ readonly ms: number; readonly run: () => void }>()
  const client = hookClientOver({
    clock: { now: () => 0 },
    guard: addressGuard('127.0.0.0/8'),
    resolve: () => Promise.reject(new Error('only addresses are used')),
    timers: {
      after: (ms, run) => {
        const timer = { ms, run }
        timers.add(timer)
        return () => void timers.delete(timer)
      },
    },
    limits: hookClientLimits,
  })
  return {
    sink,
    client,
    action: { type: 'web' as const, method: 'POST', url: sink.url() },
    /** Ends every request that goes on: its 15 s are over. */
    endTime: () => {
      for (const { ms, run } of timers) if (ms === 15_000) run()
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await sink.close()
    },
  }
}

describe('F36 a receiver that never answers', () => {
  it('a receiver that never answers fails only its own attempt after 15 s, long after the other hooks of the batch were called', async () => {
    await using silent = await aWire(() => {})
    const lab = aDeliveryLab()
    const slow = await lab.hook({ action: silent.action })
    const fast = await lab.hook()
    await lab.dispatch([anArrival()])
    const asked = silent.sink.nextRequest()
    const send = (request: HookRequest) =>
      request.url === silent.action.url ? silent.client.send(request) : lab.ports.hookClient.send(request)

    const working = lab.workOnce({ ...lab.ports, hookClient: { ...lab.ports.hookClient, send } })
    await asked
    expect(lab.delivery(fast)).toMatchObject({ state: 'delivered' })
    silent.endTime()
    await working

    expect(lab.delivery(slow)).toMatchObject({ state: 'pending', attempts: [{ reason: 'timeout' }] })
  })
})

describe('F37 a receiver that answers byte by byte', () => {
  it('a receiver that answers byte by byte fails its attempt when 15 s are over, however many bytes came', async () => {
    const began = Promise.withResolvers<void>()
    await using wire = await aWire((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n')
      socket.write('x', () => began.resolve())
    })
    const lab = aDeliveryLab()
    const hook = await lab.hook({ action: wire.action })
    await lab.dispatch([anArrival()])

    const send = (request: HookRequest) => wire.client.send(request)
    const working = lab.workOnce({ ...lab.ports, hookClient: { ...lab.ports.hookClient, send } })
    await began.promise
    wire.endTime()
    await working

    expect(lab.delivery(hook)).toMatchObject({ state: 'pending', attempts: [{ reason: 'timeout' }] })
  })
})

describe('F38 a receiver that answers without an end', () => {
  it('a response without an end is read up to 20 KB, its status decides, 1 KiB is kept, and its connection is closed', async () => {
    await using wire = await aWire((socket) => {
      const more = () => void (socket.writable && socket.write('y'.repeat(65_536), more))
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 999999999999\r\n\r\n', more)
    })
    const lab = aDeliveryLab()
    const hook = await lab.hook({ action: wire.action })
    await lab.dispatch([anArrival()])
    const closed = wire.sink.nextClose()

    const send = (request: HookRequest) => wire.client.send(request)
    await lab.workOnce({ ...lab.ports, hookClient: { ...lab.ports.hookClient, send } })
    await closed

    expect(lab.delivery(hook)).toMatchObject({
      state: 'delivered',
      attempts: [{ status: 200, replySnippet: 'y'.repeat(1024) }],
    })
  })
})

describe('F40 a 429 or 503 with Retry-After', () => {
  it.each([
    ['seconds, later than planned', '120', 120, 121],
    ['seconds, earlier than planned', '1', 5, 7],
    ['a date', (now: number) => new Date(now + 90 * second).toUTCString(), 89, 92],
    ['a negative number', '-5', 5, 7],
    ['ten years', '315360000', 86_400, 86_401],
    ['text', 'soon', 5, 7],
  ])(
    '%s: the next attempt is at the later of header and schedule, a day at most',
    async (_title, header, least, most) => {
      for (const status of [429, 503]) {
        const lab = aDeliveryLab()
        const text = typeof header === 'string' ? header : header(lab.clock.now())
        const hook = await lab.hook({ answers: [answered(status, { headers: { 'retry-after': text } }), 200] })
        await lab.dispatch([anArrival()])
        await lab.settle()

        expect(statuses(lab, hook)).toEqual([status, 200])
        expect(waits(lab, hook)[0]).toBeGreaterThanOrEqual(least)
        expect(waits(lab, hook)[0]).toBeLessThanOrEqual(most)
      }
    },
  )
})

describe('F41 a receiver that answers 3xx', () => {
  it.each([301, 302, 307, 308])(
    'a receiver that answers %i causes a failed attempt with its status, and no other',
    async (status) => {
      const lab = aDeliveryLab()
      const other = await lab.hook({ event: 'DTMF' })
      const location = `https://receiver.example.com/${other.id}`
      const hook = await lab.hook({ answers: [answered(status, { headers: { location } })] })
      await lab.dispatch([anArrival()])
      await lab.settle()

      expect(lab.delivery(hook)).toMatchObject({ state: 'failed', attempts: [{ status, reason: `status ${status}` }] })
      expect(lab.requests(other)).toEqual([])
    },
  )
})
