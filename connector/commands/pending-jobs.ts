import type { EngineEvent } from '../runtime/engine.ts'
import type { Timers } from '../../core/concurrency/timers.ts'

/** How a job ended: the engine's answer, or why there is none. */
export type JobOutcome =
  | { readonly kind: 'answered'; readonly reply: string }
  | { readonly kind: 'lost'; readonly reason: 'disconnected' | 'timeout' }

/** A job that the engine is about to be given. */
export interface PendingJob {
  readonly ended: Promise<JobOutcome>
  /** Stops waiting for it: it was never started. */
  cancel(): void
}

/** The jobs that an engine works on, by their `Job-UUID`. */
export interface PendingJobs {
  /** Waits for a job's end, `timeoutMs` at most. To be called before the job is written: its end may come at once. */
  expect(id: string, timeoutMs: number): PendingJob
  /** Takes a `BACKGROUND_JOB` event. Jobs of others pass by unnoticed; an answer after its time is counted. */
  accept(event: Pick<EngineEvent, 'header' | 'body'>): void
  /** The link broke: no answer of what is pending can come any more. */
  loseAll(): void
  readonly size: number
  readonly late: number
}

const overdueLimit = 1_000

/** Makes an empty list. */
export function pendingJobs(timers: Timers): PendingJobs {
  const pending = new Map<string, (end: JobOutcome) => void>()
  const overdue = new Set<string>()
  let late = 0

  const forgetOldest = () => {
    const [oldest] = overdue
    if (overdue.size > overdueLimit && oldest !== undefined) overdue.delete(oldest)
  }

  return {
    expect: (id, timeoutMs) => {
      const { promise, resolve } = Promise.withResolvers<JobOutcome>()
      const finish = (end: JobOutcome) => {
        pending.delete(id)
        cancelTimer()
        resolve(end)
      }
      const cancelTimer = timers.after(timeoutMs, () => {
        overdue.add(id)
        forgetOldest()
        finish({ kind: 'lost', reason: 'timeout' })
      })
      pending.set(id, finish)
      return { ended: promise, cancel: () => finish({ kind: 'lost', reason: 'disconnected' }) }
    },
    accept: (event) => {
      const id = event.header('Job-UUID')?.toLowerCase() ?? ''
      pending.get(id)?.({ kind: 'answered', reply: event.body })
      if (overdue.delete(id)) late += 1
    },
    loseAll: () => {
      for (const finish of pending.values()) finish({ kind: 'lost', reason: 'disconnected' })
    },
    get size() {
      return pending.size
    },
    get late() {
      return late
    },
  }
}
