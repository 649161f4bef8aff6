import type { Clock } from '../time.ts'

/** Delayed calls. The process's own in production, moved by hand in tests. */
export interface Timers {
  /** Calls `run` once after `ms` milliseconds; the answer takes it back. */
  after(ms: number, run: () => void): () => void
}

/** Delayed calls, and the time that they follow. */
export interface ClockedTimers extends Clock, Timers {}

/** The time and a way to wait for it. */
export interface Time {
  readonly clock: Clock
  readonly timers: Timers
}

/** Resolves after `ms` milliseconds, or as soon as `signal` is aborted. */
export function pause(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const finish = () => {
      signal?.removeEventListener('abort', finish)
      cancel()
      resolve()
    }
    const cancel = timers.after(ms, finish)
    signal?.addEventListener('abort', finish)
  })
}

/** Waits that double from the first to the longest, in milliseconds. */
export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
}

/** For a service that is unreachable: an attempt every 5 s is no load, and work resumes within 5 s of its return. */
const usualBackoff: Backoff = { firstMs: 250, longestMs: 5_000 }

/**
 * Returns the wait after a number of failures in a row (1 or more). It doubles with each, less up to half of it at
 * random, so that processes that failed together do not retry together. `random` returns 0 to 1.
 */
export function backoffMs(failures: number, random: () => number, backoff: Backoff = usualBackoff): number {
  const full = Math.min(backoff.longestMs, backoff.firstMs * 2 ** Math.min(failures - 1, 10))
  return Math.round(full * (1 - random() / 2))
}
