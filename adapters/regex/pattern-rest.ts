import { setImmediate } from 'node:timers/promises'
import type { Rest } from '../../core/hooks/pattern-work.ts'

let last: Promise<void> = Promise.resolve()

/**
 * Waits for the next turn of the event loop, after all that asked before: one at a time goes on in each turn, so that
 * however many events are judged at once, requests and answers of others are handled between any two of them.
 */
export const patternRest: Rest = () => {
  last = last.then(() => setImmediate())
  return last
}
