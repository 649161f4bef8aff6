import { describe, expect, test } from 'vitest'
import { manualTime } from '../../support/processes/manual-time.ts'
import { numbered, spoolingProcess } from '../../support/connector/spooling-process.ts'

/** A process whose clock can be set; its timers know nothing of that. */
function withClock() {
  const time = manualTime()
  const clock = { aheadMs: 0, now: () => time.clock.now() + clock.aheadMs }
  return { clock, process: spoolingProcess('1', { time: { ...time, clock } }) }
}

describe.each([
  { how: 'back', ms: -3_600_000 },
  { how: 'forward', ms: 3_600_000 },
])('a spool whose clock is set $how by an hour', ({ ms }) => {
  test('events are on disk half a second after they were read although the clock was set', async () => {
    const { clock, process } = withClock()
    await process.time.advance(0)
    process.add('a0')
    clock.aheadMs = ms
    process.add(...numbered('b', 50))
    await process.time.advance(500)
    expect(process.buffer.spool.skipped).toBe(0)

    const next = spoolingProcess('2', { disk: process.disk })
    next.back()
    await next.time.advance(5_000)

    expect(next.ids()).toEqual(['a0', ...numbered('b', 50)])
  })

  test('a failed write to disk is retried five seconds later', async () => {
    const { clock, process } = withClock()
    await process.time.advance(0)
    process.disk.room = 0
    process.add('a0')
    await process.time.advance(500)
    expect(process.buffer.spool.failures).toBe(1)
    process.disk.room = Infinity
    clock.aheadMs = ms
    await process.time.advance(5_500)

    expect([process.buffer.spool.failures, process.disk.used() > 0]).toEqual([1, true])
  })
})
