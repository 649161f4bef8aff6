import { DomainError } from '../errors.ts'
import type { LoginThrottle } from './login-attempts.ts'
import { sourceNetwork } from './source-network.ts'

/** Failed logins count for this long. */
const windowMs = 15 * 60_000
/** Failed logins for one username, and from one source address, after which further attempts are turned away. */
const maxFailures = { user: 10, source: 50 }

/** An attempt is judged in far less than this; one that is under way for longer died, and has failed. */
const judgingMs = 5000
/** How long an attempt waits for others under way before it is turned away, and how long at a time. */
const patience = { totalMs: 5000, firstMs: 50, longestMs: 400 }

/** One attempt to log in, as the throttle knows it. */
export interface LoginAttempt {
  /** The name as it was typed, lower-cased: whether there is such an account makes no difference. */
  readonly username: string
  readonly sourceAddress: string
  /** Epoch milliseconds. */
  readonly now: number
}

const userKey = ({ username }: LoginAttempt) => `user:${username}`
const sourceKey = ({ sourceAddress }: LoginAttempt) => `source:${sourceNetwork(sourceAddress)}`

/**
 * Judges an attempt by `prove` where the limits let it, else throws `locked_out`. While it is judged it counts as failed
 * for its username, so that attempts made at one moment cannot all pass below the limit. One that finds the room taken
 * by others that are still under way waits for them, since they may succeed. Its success forgets the failures of its
 * username; its failure is counted for its source address too; an outage counts as neither.
 */
export async function throttled<T>(
  throttle: LoginThrottle,
  attempt: LoginAttempt,
  prove: () => Promise<T>,
): Promise<T> {
  const begun = await beginLogin(throttle, attempt)
  let proven: T
  try {
    proven = await prove()
  } catch (error) {
    if (isFailedLogin(error)) {
      await Promise.all([throttle.settle(begun), throttle.fail([sourceKey(attempt)], attempt.now)])
    } else {
      // When even this cannot be written, it counts until the window has passed.
      await throttle.release(begun).catch(() => undefined)
    }
    throw error
  }
  await throttle.clear(userKey(attempt))
  return proven
}

const isFailedLogin = (error: unknown) =>
  error instanceof DomainError && (error.code === 'invalid_credentials' || error.code === 'not_found')

/** Waits for room among the failures of the username. Attempts that are turned away do not count, so the window passes. */
async function beginLogin(throttle: LoginThrottle, attempt: LoginAttempt) {
  const since = attempt.now - windowMs
  const [source] = await throttle.read([sourceKey(attempt)], since)
  if (source !== undefined && source.failures >= maxFailures.source) throw lockedOut(source.oldestAt, attempt.now)
  let waitMs = patience.firstMs
  for (let waited = 0; ; waited += waitMs, waitMs = Math.min(waitMs * 2, patience.longestMs)) {
    const begun = await throttle.begin(userKey(attempt), { limit: maxFailures.user, since }, attempt.now)
    if ('attempt' in begun) return begun.attempt
    const { failures } = begun
    const mayEnd = failures.some(({ at, isUnderWay }) => isUnderWay && at > attempt.now + waited - judgingMs)
    if (!mayEnd || waited >= patience.totalMs) throw lockedOut(failures[0]?.at ?? attempt.now, attempt.now)
    await throttle.pause(waitMs)
  }
}

const codeKey = (username: string) => `code:${username.toLowerCase()}`

/**
 * Lets a try of a one-time code by a user who is logged in through, or throws `locked_out`. Counted as failed until
 * {@link forgetCodes}, as logins are, and apart from them: whoever has a stolen token cannot lock its user out.
 */
export async function admitCode(throttle: Pick<LoginThrottle, 'begin'>, username: string, now: number): Promise<void> {
  const begun = await throttle.begin(codeKey(username), { limit: maxFailures.user, since: now - windowMs }, now)
  if ('failures' in begun) throw lockedOut(begun.failures[0]?.at ?? now, now)
}

/** Forgets the failed codes of a user who has just given a right one. */
export async function forgetCodes(throttle: Pick<LoginThrottle, 'clear'>, username: string): Promise<void> {
  await throttle.clear(codeKey(username))
}

/** Until the oldest failure leaves the window: then there is room for one more. */
function lockedOut(oldestAt: number, now: number): DomainError {
  const retryAfterSeconds = Math.max(1, Math.ceil((oldestAt + windowMs - now) / 1000))
  return new DomainError('locked_out', 'too many failed logins: try again later', { retryAfterSeconds })
}
