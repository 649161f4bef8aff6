import { type Backoff, type Timers, backoffMs, pause } from './timers.ts'
import { DomainError } from '../errors.ts'

/** The clock and the randomness of a retry. */
export interface RetryDeps {
  readonly timers: Timers
  readonly random: () => number
}

/** How long something is tried; without any of these, until it is done. */
export interface RetryRules {
  readonly mayTry?: () => boolean
  readonly attempts?: number
  /** Whether a failure may pass, given how many there were; any other is thrown at once. */
  readonly mayPass?: (problem: unknown, failures: number) => boolean
  readonly signal?: AbortSignal
  readonly onFailure?: (problem: unknown, failures: number) => void
  /** The waits between attempts; from 250 ms to 5 s where absent. */
  readonly backoff?: Backoff
  /** Waits between attempts, in milliseconds; where absent, until `signal` is aborted. */
  readonly wait?: (ms: number) => Promise<void>
}

/**
 * Tries work again and again, with the growing waits of {@link backoffMs}. Returns what it made, or nothing when the
 * rules ended the attempts. Throws the last failure when all `attempts` were made, or when it cannot pass.
 */
export async function retry<T>(
  work: () => Promise<T>,
  deps: RetryDeps,
  rules?: Omit<RetryRules, 'mayTry' | 'signal'>,
): Promise<{ readonly value: T }>
export async function retry<T>(
  work: () => Promise<T>,
  deps: RetryDeps,
  rules: RetryRules,
): Promise<{ readonly value: T } | undefined>
export async function retry<T>(
  work: () => Promise<T>,
  { timers, random }: RetryDeps,
  rules: RetryRules = {},
): Promise<{ readonly value: T } | undefined> {
  const { mayTry = () => true, attempts = Number.POSITIVE_INFINITY, mayPass = () => true, signal, onFailure } = rules
  const wait = rules.wait ?? ((ms: number) => pause(timers, ms, signal))
  const goesOn = () => signal?.aborted !== true && mayTry()
  for (let failures = 0; goesOn(); ) {
    try {
      return { value: await work() }
    } catch (problem) {
      failures += 1
      onFailure?.(problem, failures)
      if (failures >= attempts || !mayPass(problem, failures)) throw problem
      await wait(backoffMs(failures, random, rules.backoff))
    }
  }
  return undefined
}

/** Maximum optimistic-lock retries. Every failure means that another writer won. */
const maxTries = 50

/** Runs a try until it answers something. Throws `store_unavailable` when others were always faster. */
export async function untilDone<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const done = await attempt()
    if (done !== undefined) return done
  }
  throw new DomainError('store_unavailable', 'others change this at the same time, try again', { retryAfterSeconds: 1 })
}
