import { setImmediate } from 'node:timers/promises'
import type { Rest } from '../../core/hooks/matching/pattern-work.ts'

let last: Promise<void> = Promise.resolve()

/**
 * Lets everything that is due have its turn. One caller continues at a time, after all earlier ones, so that other work waits for one slice
 * of work, however many events are matched at once.
 */
export const patternRest: Rest = () => {
  // The earlier caller does its slice of work in the first of these turns.
  last = last.then(() => setImmediate()).then(() => setImmediate())
  return last
}
