import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../core/ports.ts'

/** From when on work may call nothing any more, by which clock. */
interface TimeLimit {
  /** Epoch milliseconds. */
  readonly until: number
  readonly clock: Clock
}

const limits = new AsyncLocalStorage<TimeLimit>()

/** That work wanted to call a service after its time. */
export class TimeLimitPassed extends Error {
  override readonly name = 'TimeLimitPassed'
}

/**
 * Runs work whose calls to services of the cloud are refused from `until` (epoch milliseconds) on, however late the work
 * comes to them. Without a limit nothing is refused.
 */
export function withTimeLimit<T>(limit: TimeLimit, work: () => T): T {
  return limits.run(limit, work)
}

/** Throws {@link TimeLimitPassed} when the work that asks is past its limit. */
export function checkTimeLimit(): void {
  const limit = limits.getStore()
  if (limit === undefined || limit.clock.now() < limit.until) return
  throw new TimeLimitPassed('the time of the request is over, nothing more is sent for it')
}
