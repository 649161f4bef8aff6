import { DomainError } from '../errors.ts'
import type { LoginThrottle } from '../ports.ts'
import { sourceNetwork } from './source-network.ts'

/** Failed logins count for this long. */
const windowMs = 15 * 60_000
/** Failed logins for one username, and from one source address, after which further attempts are turned away. */
const maxFailures = { user: 10, source: 50 }

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
 * Lets an attempt through or throws `locked_out`. The attempt counts as failed for its username until
 * {@link countSuccess} says otherwise, so that attempts made at the same moment cannot all pass below the limit;
 * those turned away do not count, so the window does pass.
 */
export async function admitLogin(throttle: LoginThrottle, attempt: LoginAttempt): Promise<void> {
  const since = attempt.now - windowMs
  const [user, source] = await throttle.read([userKey(attempt), sourceKey(attempt)], since)
  if (user !== undefined && user.failures >= maxFailures.user) throw lockedOut(user.oldestAt, attempt.now)
  if (source !== undefined && source.failures >= maxFailures.source) throw lockedOut(source.oldestAt, attempt.now)
  await throttle.fail([userKey(attempt)], attempt.now)
  const [counted] = await throttle.read([userKey(attempt)], since)
  if (counted !== undefined && counted.failures > maxFailures.user) throw lockedOut(counted.oldestAt, attempt.now)
}

/** Counts an attempt as failed for its source address too. */
export async function countFailure(throttle: LoginThrottle, attempt: LoginAttempt): Promise<void> {
  await throttle.fail([sourceKey(attempt)], attempt.now)
}

/** Forgets the failures of a username that has just logged in. */
export async function countSuccess(throttle: LoginThrottle, attempt: LoginAttempt): Promise<void> {
  await throttle.clear(userKey(attempt))
}

const codeKey = (username: string) => `code:${username.toLowerCase()}`

/**
 * Lets a try of a one-time code by a user who is logged in through, or throws `locked_out`. Counted as failed until
 * {@link forgetCodes}, as logins are, and apart from them: whoever has a stolen token cannot lock its user out.
 */
export async function admitCode(throttle: LoginThrottle, username: string, now: number): Promise<void> {
  const keys = [codeKey(username)]
  const [before] = await throttle.read(keys, now - windowMs)
  if (before !== undefined && before.failures >= maxFailures.user) throw lockedOut(before.oldestAt, now)
  await throttle.fail(keys, now)
  const [counted] = await throttle.read(keys, now - windowMs)
  if (counted !== undefined && counted.failures > maxFailures.user) throw lockedOut(counted.oldestAt, now)
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
