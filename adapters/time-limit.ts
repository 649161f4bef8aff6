import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../core/ports.ts'

/** The time after which work may call no service any more. */
interface TimeLimit {
  /** Epoch milliseconds. */
  readonly until: number
  readonly clock: Clock
}

/** A limit, and the signal that is aborted when it passes, once something has asked for it. */
interface RunningLimit extends TimeLimit {
  signal?: AbortSignal
}

const limits = new AsyncLocalStorage<RunningLimit>()

/** Work tried to call a service after its time. */
export class TimeLimitPassed extends Error {
  override readonly name = 'TimeLimitPassed'
}

/**
 * Runs work whose calls to services of the cloud end at `until` (epoch milliseconds): later calls are refused, and calls
 * under way are aborted. Without a limit nothing is refused.
 */
export function withTimeLimit<T>(limit: TimeLimit, work: () => T): T {
  return limits.run({ ...limit }, work)
}

/** Throws {@link TimeLimitPassed} when the current work is past its limit. */
export function checkTimeLimit(): void {
  const limit = limits.getStore()
  if (limit === undefined || limit.clock.now() < limit.until) return
  throw new TimeLimitPassed('the time of the request is over, nothing more is sent for it')
}

/** The signal that is aborted when the current work passes its limit; `undefined` without a limit. */
export function timeLimitSignal(): AbortSignal | undefined {
  const limit = limits.getStore()
  if (limit === undefined) return undefined
  return (limit.signal ??= AbortSignal.timeout(Math.max(0, limit.until - limit.clock.now())))
}
