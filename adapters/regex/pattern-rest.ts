import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Rest } from '../../core/hooks/matching/pattern-work.ts'

/**
 * As long as the work before it, so other work has half of the process for itself. With a turn of the event loop alone, each step of
 * another tenant's request waited for the work of a whole slice.
 */
const restMs = 1

let last: Promise<void> = Promise.resolve()

/**
 * Waits a moment, after all earlier callers. One caller continues at a time, so that requests and answers are handled between any
 * two of them, however many events are matched at once.
 */
export const patternRest: Rest = () => {
  last = restAfter(last)
  return last
}

async function restAfter(earlier: Promise<void>): Promise<void> {
  await earlier
  await setTimeout(restMs)
  // Timers that are due may follow each other at once.
  await setImmediate()
}
