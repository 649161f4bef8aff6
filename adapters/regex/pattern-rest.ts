import { setImmediate } from 'node:timers/promises'
import type { Rest } from '../../core/hooks/matching/pattern-work.ts'

let last: Promise<void> = Promise.resolve()

/**
 * Waits for the next turn of the event loop, after all earlier callers. One caller continues in each turn, so that requests
 * and answers are handled between any two of them, however many events are matched at once.
 */
export const patternRest: Rest = () => {
  last = last.then(() => setImmediate())
  return last
}
