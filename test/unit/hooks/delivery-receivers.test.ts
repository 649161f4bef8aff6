import { describe, expect, it } from 'vitest'
import {
  type DeliveryHarness,
  aDeliveryHarness,
  anArrival,
  answered,
  checkDeliveries,
} from '../../support/hooks/delivery-harness.ts'

const second = 1_000

const statuses = (harness: DeliveryHarness, hook: { id: string }) =>
  harness.delivery(hook).attempts.map(({ status }) => status)

/** The seconds between one attempt and the next. */
function waits(harness: DeliveryHarness, hook: { id: string }): number[] {
  const times = harness.delivery(hook).attempts.map(({ at }) => at)
  return times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / second)
}

describe('F35 a receiver that answers 500, then 200', () => {
  it('a receiver that answers 500, then 200 gets the attempts after the waits of the contract, and the log has each of them', async () => {
    const harness = aDeliveryHarness()
    const body = 'x'.repeat(2_000)
    const hook = await harness.hook({ answers: [answered(500, { body }), 502, 503, answered(200, { body: 'thanks' })] })
    const event = anArrival()
    await harness.dispatch([event])
    await harness.settle()

    const planned = [5, 30, 300]
    for (const [index, wait] of waits(harness, hook).entries()) {
      expect(wait).toBeGreaterThanOrEqual(planned[index] ?? 0)
      // Jitter, and the whole seconds of the queue.
      expect(wait).toBeLessThanOrEqual((planned[index] ?? 0) * 1.2 + 1)
    }
    expect(harness.delivery(hook).attempts).toMatchObject([
      { status: 500, reason: 'status 500', replySnippet: 'x'.repeat(1024) },
      { status: 502 },
      { status: 503 },
      { status: 200, replySnippet: 'thanks' },
    ])
    checkDeliveries(harness, [event], [hook])
  })

  it('a retry can wait longer than a message can be delayed, since the message is queued again', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [500, 200], delay: 3_600, retries: 1 })
    await harness.dispatch([anArrival()])
    await harness.work()

    const hops: number[] = []
    while (harness.delivery(hook).state === 'pending') {
      hops.push(...harness.messages().map(({ delaySeconds }) => delaySeconds))
      harness.moveToNext()
      await harness.work()
    }

    expect(hops.every((delay) => delay <= 900)).toBe(true)
    expect(hops.length).toBeGreaterThanOrEqual(4)
    expect(harness.requests(hook)).toHaveLength(2)
    expect(waits(harness, hook)[0]).toBeGreaterThanOrEqual(3_600)
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
        const harness = aDeliveryHarness()
        const text = typeof header === 'string' ? header : header(harness.clock.now())
        const hook = await harness.hook({ answers: [answered(status, { headers: { 'retry-after': text } }), 200] })
        await harness.dispatch([anArrival()])
        await harness.settle()

        expect(statuses(harness, hook)).toEqual([status, 200])
        expect(waits(harness, hook)[0]).toBeGreaterThanOrEqual(least)
        expect(waits(harness, hook)[0]).toBeLessThanOrEqual(most)
      }
    },
  )
})
