import { type RetryDeps, retry } from './retry.ts'
import { mapAtMost } from './semaphore.ts'
import { pause } from './timers.ts'

/** The write of a write-behind, and its pace. */
export interface WriteBehindDeps extends RetryDeps {
  /**
   * Writes some of what waits, and returns whether it found any. What it rejects with is a failure: it keeps what it
   * could not write, and is called again after a wait.
   */
  readonly write: () => Promise<boolean>
  /** Milliseconds from the end of a write to the next one, so that changes share it; none where absent. */
  readonly paceMs?: () => number
  /** Asked when nothing waits: milliseconds until something will, if anything does by itself. */
  readonly nextMs?: () => number | undefined
  readonly onFailure?: (problem: unknown, failures: number) => void
}

/** Work that follows its caller: whatever waits is written in the background, one write after another. */
export interface WriteBehind {
  /** Says that something waits. Writing starts in this turn of the event loop, after the caller. */
  wake(): void
  settled(): Promise<void>
  /**
   * Resolves when nothing waits any more, or when an attempt that began after this call has failed. Ends every wait
   * before. For an orderly stop, which does not wait for a service that is gone.
   */
  flushed(): Promise<void>
}

/**
 * Makes a write-behind with nothing to write. What cannot be written is tried again without end, by the waits of
 * {@link retry}; its owner limits how much may wait.
 */
export function writeBehind({ write, paceMs, nextMs, onFailure, timers, random }: WriteBehindDeps): WriteBehind {
  let running: Promise<void> | undefined
  let isWoken = false
  let attempts = 0
  let cancelNext = () => {}
  let rest = new AbortController()
  const flushes = new Set<{ readonly from: number; readonly end: () => void }>()

  const attempt = () => {
    attempts += 1
    return write()
  }

  const noteFailure = (problem: unknown, failures: number) => {
    onFailure?.(problem, failures)
    for (const flush of flushes) if (flush.from <= attempts) flush.end()
  }

  const wait = async (ms: number) => {
    if (flushes.size === 0) await pause(timers, ms, rest.signal)
  }

  const run = async () => {
    do {
      isWoken = false
      while ((await retry(attempt, { timers, random }, { onFailure: noteFailure, wait })).value) {
        if (paceMs !== undefined) await wait(paceMs())
      }
    } while (isWoken)
    running = undefined
    const laterMs = nextMs?.()
    if (laterMs !== undefined) cancelNext = timers.after(laterMs, () => void wake())
  }

  const wake = () => {
    isWoken = true
    cancelNext()
    running ??= Promise.resolve().then(run)
    return running
  }

  return {
    wake: () => void wake(),
    settled: async () => running,
    flushed: () =>
      new Promise((resolve) => {
        const end = () => {
          flushes.delete(flush)
          resolve()
        }
        const flush = { from: attempts + 1, end }
        flushes.add(flush)
        rest.abort()
        rest = new AbortController()
        void wake().then(end)
      }),
  }
}

const writesAtOnce = 16

/** Runs `work` on each item, several at a time, and returns the items that failed. */
export async function failedOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<T[]> {
  const failed: T[] = []
  await mapAtMost(items, writesAtOnce, (item) => work(item).catch(() => void failed.push(item)))
  return failed
}
