import type { Timers } from '../../core/concurrency/timers.ts'

/** The timers of the process. */
export const systemTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
