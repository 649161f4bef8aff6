/** Time as an argument, so that a test can move it. */
export interface EslTimers {
  /** Milliseconds that never run backwards. */
  now(): number
  /** Runs `run` once after `ms` milliseconds; the answer cancels it. */
  after(ms: number, run: () => void): () => void
}

/** The process's own time: `now` is milliseconds since the epoch, but steady when the wall clock is set. */
export const systemEslTimers: EslTimers = {
  now: () => performance.timeOrigin + performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
