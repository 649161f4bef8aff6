import { describe, expect, it } from 'vitest'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import { lanes, laneOf } from '../../../core/events/lanes.ts'
import { type HeldBatch, keepDomainRate } from '../../../core/hooks/attempt/domain-rate.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { anEvent } from '../../support/records/records.ts'

/** A call of each lane. */
const calls = Array.from({ length: lanes }, (_, lane) => String.fromCharCode(64 + lane))

const eventsOf = (domain: string, lane: number, count: number) =>
  Array.from({ length: count }, () => anEvent({ domain, uuid: calls[lane] ?? '' }))

/** A batch that is held once it is dispatched. */
function aBatch(time: ReturnType<typeof manualTime>, events: readonly PlatformEvent[], perSecond: number) {
  const reported: HeldBatch[] = []
  const batch = { isOver: false, reported }
  const rate = { perSecond, startedAt: time.clock.now(), report: (held: HeldBatch) => void reported.push(held) }
  return Object.assign(batch, {
    async dispatched() {
      await keepDomainRate(time, events, rate)
      batch.isOver = true
    },
  })
}

describe('the rate of a domain', () => {
  it('a full batch of one lane is held until 80 ms have passed if a domain may have 500 events a second', async () => {
    const time = manualTime()
    const batch = aBatch(time, eventsOf('a.example.com', 1, 10), 500)
    await time.advance(30)
    void batch.dispatched()

    await time.advance(49)
    expect(batch.isOver).toBe(false)
    await time.advance(1)

    expect(batch.isOver).toBe(true)
    expect(batch.reported).toEqual([{ domain: 'a.example.com', heldMs: 50 }])
  })

  it('a batch that already took the time of its rate is neither held nor reported', async () => {
    const time = manualTime()
    const batch = aBatch(time, eventsOf('a.example.com', 1, 10), 500)
    await time.advance(80)

    void batch.dispatched()
    await time.advance(0)

    expect(batch).toMatchObject({ isOver: true, reported: [] })
  })

  it('a batch of several lanes and tenants is held for its busiest lane', async () => {
    const time = manualTime()
    const events = [
      ...eventsOf('a.example.com', 0, 2),
      ...eventsOf('a.example.com', 1, 4),
      ...eventsOf('a.example.com', 2, 1),
      ...eventsOf('b.example.com', 1, 3),
    ]
    const batch = aBatch(time, events, 100)
    void batch.dispatched()

    await time.advance(159)
    expect(batch.isOver).toBe(false)
    await time.advance(1)

    expect(batch).toMatchObject({ isOver: true, reported: [{ domain: 'a.example.com', heldMs: 160 }] })
  })

  it('all lanes of a domain together dispatch no more events in a second than the domain may have', async () => {
    const time = manualTime()
    let dispatched = 0
    const work = async (lane: number) => {
      for (;;) {
        const events = eventsOf('a.example.com', lane, 10)
        const rate = { perSecond: 500, startedAt: time.clock.now(), report: () => {} }
        dispatched += events.length
        await keepDomainRate(time, events, rate)
      }
    }
    for (let lane = 0; lane < lanes; lane += 1) void work(lane)

    await time.advance(2_000 - 1)

    expect(dispatched).toBe(1_000)
  })
})

it('the events of a call are all in one lane, and calls are spread over the lanes', () => {
  expect(calls.map(laneOf)).toEqual([0, 1, 2, 3])
  expect(laneOf('')).toBe(0)
})
