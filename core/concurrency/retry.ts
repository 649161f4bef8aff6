import { type Timers, backoffMs, pause } from './timers.ts'

/** What a retry waits with. */
export interface RetryDeps {
  readonly timers: Timers
  /** Gives 0 to 1. */
  readonly random: () => number
}

/** How long something is tried; without any of these, until it is done. */
export interface RetryRules {
  /** Asked before each attempt. */
  readonly mayTry?: () => boolean
  readonly attempts?: number
  /** Ends the waiting and the attempts. */
  readonly signal?: AbortSignal
  /** Called with each failure and their number so far. */
  readonly onFailure?: (problem: unknown, failures: number) => void
}

/**
 * Tries work again and again, with the growing waits of {@link backoffMs}. Returns what it made, or nothing when the rules
 * ended the attempts. Throws the last failure when all `attempts` were made.
 */
export async function retry<T>(
  work: () => Promise<T>,
  { timers, random }: RetryDeps,
  { mayTry = () => true, attempts = Number.POSITIVE_INFINITY, signal, onFailure }: RetryRules = {},
): Promise<{ readonly value: T } | undefined> {
  const goesOn = () => signal?.aborted !== true && mayTry()
  for (let failures = 0; goesOn(); ) {
    try {
      return { value: await work() }
    } catch (problem) {
      failures += 1
      onFailure?.(problem, failures)
      if (failures >= attempts) throw problem
      await pause(timers, backoffMs(failures, random), signal)
    }
  }
  return undefined
}
