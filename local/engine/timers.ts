/** The time and delayed calls. The process's own on a laptop, moved by hand in tests. */
export interface EngineTimers {
  /** Epoch milliseconds. */
  now(): number
  /** Calls `run` once after `ms` milliseconds; the answer takes the call back. */
  after(ms: number, run: () => void): () => void
}

/** The process's own time. */
export const systemTimers: EngineTimers = {
  now: () => Date.now(),
  after: (ms, run) => {
    const handle = setTimeout(run, ms)
    return () => clearTimeout(handle)
  },
}
