import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../core/time.ts'

interface TimeLimit {
  /** Epoch milliseconds. */
  readonly until: number
  readonly clock: Clock
}

/** A limit, and what aborts the calls under way when it passes, once something has asked for it. */
interface RunningLimit extends TimeLimit {
  passing?: AbortController
  timer?: NodeJS.Timeout
}

const limits = new AsyncLocalStorage<RunningLimit>()

/** Work tried to call a service after its time. */
export class TimeLimitPassed extends Error {
  override readonly name = 'TimeLimitPassed'
}

/**
 * Runs work whose calls to services of the cloud end at `until` (epoch milliseconds): later calls are refused, and
 * calls under way are aborted. Without a limit nothing is refused.
 */
export async function withTimeLimit<T>(limit: TimeLimit, work: () => Promise<T>): Promise<T> {
  const running: RunningLimit = { ...limit }
  try {
    return await limits.run(running, work)
  } finally {
    // A timer that is left would keep the request and its module in memory until the limit.
    clearTimeout(running.timer)
  }
}

/** Throws {@link TimeLimitPassed} when the current work is past its limit. */
export function checkTimeLimit(): void {
  const limit = limits.getStore()
  if (limit === undefined || limit.clock.now() < limit.until) return
  throw new TimeLimitPassed('the time of the request is over, nothing more is sent for it')
}

/** Returns the signal that is aborted when the current work passes its limit; `undefined` without a limit. */
export function timeLimitSignal(): AbortSignal | undefined {
  const limit = limits.getStore()
  if (limit === undefined) return undefined
  if (limit.passing === undefined) {
    const passing = new AbortController()
    limit.passing = passing
    const leftMs = Math.max(0, limit.until - limit.clock.now())
    limit.timer = setTimeout(() => passing.abort(new DOMException('the time limit passed', 'TimeoutError')), leftMs)
    limit.timer.unref()
  }
  return limit.passing.signal
}
