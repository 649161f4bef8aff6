import { DomainError } from '../errors.ts'
import type { LoginThrottle } from '../ports.ts'

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
const sourceKey = ({ sourceAddress }: LoginAttempt) => `source:${networkOf(sourceAddress)}`

/** An IPv6 address counts as its /64 network: one customer of a provider has all of it. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address
  // An IPv4 address in IPv6 notation.
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1)
  const [head = [], tail] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - head.length - tail.length)
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...(tail ?? [])]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

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

/** Until the oldest failure leaves the window: then there is room for one more. */
function lockedOut(oldestAt: number, now: number): DomainError {
  const retryAfterSeconds = Math.max(1, Math.ceil((oldestAt + windowMs - now) / 1000))
  return new DomainError('locked_out', 'too many failed logins: try again later', { retryAfterSeconds })
}
