import type { Clock } from '../../core/time.ts'
import type { Timers } from '../../core/concurrency/timers.ts'
import type { RetryDeps } from '../../core/concurrency/retry.ts'

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }

/** The timers of the process. */
export const systemTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * The timers and the jitter of retries in adapters. Jitter needs no secret randomness, and `context.random` is for
 * secrets.
 */
export const retryDeps: RetryDeps = { timers: systemTimers, random: Math.random }
