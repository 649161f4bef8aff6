import type { Clock } from '../ports.ts'

/** Delayed calls. The process's own in production, moved by hand in tests. */
export interface Timers {
  /** Calls `run` once after `ms` milliseconds; the answer takes it back. */
  after(ms: number, run: () => void): () => void
}

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

/**
 * The wait before attempt `attempt` (1 for the first repeat): doubling from 250 ms to 5 s, less up to half of it at
 * random, so that connectors that failed together do not come back together. `random` gives 0 to 1.
 */
export function backoffMs(attempt: number, random: () => number): number {
  const full = Math.min(5_000, 250 * 2 ** Math.min(attempt - 1, 10))
  return Math.round(full * (1 - random() / 2))
}
