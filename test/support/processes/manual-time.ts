import type { ClockedTimers } from '../../../core/concurrency/timers.ts'
import type { Clock } from '../../../core/time.ts'

/** A clock and timers that stand still until they are moved. */
export interface ManualTime {
  readonly clock: Clock
  readonly timers: ClockedTimers
  /** Moves the time on, runs what comes due in its order, and lets everything that follows from it happen. */
  advance(ms: number): Promise<void>
  /**
   * Moves the time on while the process is busy: what comes due meanwhile runs late, and then everything that follows
   * from it happens.
   */
  stall(ms: number): Promise<void>
}

/** Time that starts at an epoch millisecond; any moment will do where none is named. */
export function manualTime(start = Date.UTC(2026, 0, 15, 12)): ManualTime {
  let now = start
  const pending = new Set<{ readonly at: number; readonly run: () => void }>()

  /** The earliest timer that is due; of equal ones the one that was set first. */
  const nextDue = (until: number) => {
    let next: { readonly at: number; readonly run: () => void } | undefined
    for (const timer of pending) if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer
    return next
  }

  const advance = async (ms: number) => {
    const until = now + ms
    await settle()
    for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
      pending.delete(timer)
      now = Math.max(now, timer.at)
      timer.run()
      await settle()
    }
    now = until
    await settle()
  }

  return {
    clock: { now: () => now },
    timers: {
      now: () => now,
      after(ms, run) {
        const timer = { at: now + ms, run }
        pending.add(timer)
        return () => void pending.delete(timer)
      },
    },
    advance,
    async stall(ms) {
      now += ms
      await advance(0)
    },
  }
}

/** Lets every promise that can go on without time or network go on: a few turns of the event loop. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
