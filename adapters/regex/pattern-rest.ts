import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Rest } from '../../core/hooks/matching/pattern-work.ts'

/** The shortest rest and the longest one, in milliseconds. A slice of work takes 1 to 8 ms. */
const leastMs = 1
const mostMs = 8

/** The parts of the event loop that rests depend on. */
export interface RestLoop {
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number
  /** Resolves when everything that is due has had its turn. */
  readonly turn: () => Promise<unknown>
  readonly wait: (ms: number) => Promise<unknown>
}

/**
 * Returns rests of one process. One caller continues at a time, after all earlier ones, and each rest takes as long as
 * the work before it, whosever that was: other work has half of the process for itself, however many events are matched
 * at once.
 */
export function patternRests({ now, turn, wait }: RestLoop): Rest {
  let last: Promise<void> = Promise.resolve()
  let endedAt = 0
  const restAfter = async (earlier: Promise<void>) => {
    await earlier
    // The earlier caller does its slice of work in this turn, and this rest begins after it.
    await turn()
    await wait(Math.min(Math.max(now() - endedAt, leastMs), mostMs))
    // Timers that are due may follow each other at once.
    await turn()
    endedAt = now()
  }
  return () => {
    last = restAfter(last)
    return last
  }
}

/** The rests of this process. */
export const patternRest: Rest = patternRests({ now: () => performance.now(), turn: setImmediate, wait: setTimeout })
