import { setImmediate } from 'node:timers/promises'
import { withTimeLimit } from '../../adapters/time-limit.ts'
import type { Clock } from '../../core/ports.ts'

/** A function's work is ended this much before the function itself, so that its end is still answered or logged. */
export const reserveMs = 500

/** The result of {@link withDeadline} for work that is not finished in time. */
export const late = Symbol('late')

/** Waits for work, but no longer than a time in milliseconds. The work itself goes on; what becomes of it is dropped. */
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
 * Runs work within the time that its function has left. Throws what `tooLate` makes when the time runs out; the work then
 * calls no service any more.
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

/** The longest that a request waits for its counts once nothing else keeps it, by the contract's section on limits. */
const countPatienceMs = 50

/**
 * Waits for a count, at most 50 ms. A process that was itself too busy to see the answer arrive looks once more before it
 * gives up.
 */
export async function countInTime<T>(counting: Promise<T>): Promise<T | typeof late> {
  const counted = await withDeadline(counting, countPatienceMs)
  return counted === late ? Promise.race([counting, setImmediate<typeof late>(late)]) : counted
}
