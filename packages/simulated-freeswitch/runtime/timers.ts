/** The time in epoch milliseconds, and delayed calls that follow it. The process's own, or moved by hand in tests. */
export interface EngineTimers {
  now(): number
  /** Calls `run` once after `ms` milliseconds; the answer takes it back. */
  after(ms: number, run: () => void): () => void
}

/** The time of the process. */
export const systemTimers: EngineTimers = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
