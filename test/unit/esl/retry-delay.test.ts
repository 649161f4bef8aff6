import { describe, expect, it } from 'vitest'
import { defaultEslLimits } from '../../../packages/esl/options.ts'
import { retryDelayMs } from '../../../packages/esl/timers.ts'

const delays = (random: number) =>
  [0, 1, 2, 3, 4, 5, 6, 1000].map((failures) => retryDelayMs('closed', failures, defaultEslLimits, () => random))

describe('the wait before connecting again', () => {
  it('the wait before reconnecting grows from 250 ms at least', () => {
    expect(delays(0)).toEqual([250, 500, 1000, 2000, 4000, 4750, 4750, 4750])
  })

  it('the wait before reconnecting stays below 10 s, so that an engine is found again within 10 s', () => {
    expect(delays(1)).toEqual([500, 1000, 2000, 4000, 8000, 9500, 9500, 9500])
  })

  it.each(['auth-refused', 'access-rejected'] as const)(
    'the wait before connecting again is 5 to 6.25 s after %s, so that a corrected password is in use within seconds',
    (reason) => {
      const waits = [0, 0.5, 1].map((random) => retryDelayMs(reason, 0, defaultEslLimits, () => random))

      expect(waits).toEqual([5_000, 5_625, 6_250])
    },
  )
})
