import { setImmediate } from 'node:timers/promises'
import { withTimeLimit } from '../../adapters/time-limit.ts'
import type { Clock } from '../../core/time.ts'

/** The work of a function ends this long before the function, so that its end can still be answered or logged. */
export const reserveMs = 500

/** The result of {@link withDeadline} for work that is not finished in time. */
export const late = Symbol('late')

/** Waits for work, but no longer than a time in milliseconds. The work itself continues, and its result is dropped. */
export async function withDeadline<T>(work: Promise<T>, limitMs: number): Promise<T | typeof late> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<typeof late>((resolve) => {
    timer = setTimeout(() => resolve(late), Math.max(0, limitMs))
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs work within the remaining time of its function. Throws the error of `tooLate` when the time runs out; the work
 * then makes no further calls to services.
 */
export async function runInTime<T>(
  context: { readonly getRemainingTimeInMillis: () => number },
  clock: Clock,
  work: () => Promise<T>,
  tooLate = () => new Error('the time of the function ran out'),
): Promise<T> {
  const limitMs = context.getRemainingTimeInMillis() - reserveMs
  const limit = { until: clock.now() + limitMs, clock }
  const end = await withDeadline(withTimeLimit(limit, work), limitMs)
  if (end === late) throw tooLate()
  return end
}

/** The longest time that a request waits for its rate limits alone, by the contract's section on limits. */
const countPatienceMs = 50

/**
 * Waits for a count, at most 50 ms. A process that was too busy to see the answer arrive checks once more before it
 * gives up.
 */
export async function countInTime<T>(counting: Promise<T>): Promise<T | typeof late> {
  const counted = await withDeadline(counting, countPatienceMs)
  return counted === late ? Promise.race([counting, setImmediate<typeof late>(late)]) : counted
}
