import { DomainError } from '../errors.ts'
import { type BegunAttempt, CodeMissing, type LoginThrottle, type LoginUser } from './login-throttle.ts'
import { loginNetwork } from './source-network.ts'

const dayMs = 86_400_000
const windowMs = 15 * 60_000
/** Failed logins after which further attempts are refused, by the contract's section on logins. */
const maxFailures = { ofUserFromNetwork: 10, fromNetwork: 50, ofUser: 100 }
/** The time for which a network counts as known after a login from it. */
const knownMs = 30 * dayMs
const maxNetworks = 20

/** An attempt is judged in far less time than this; one that takes longer has died and failed. */
export const judgingMs = 5000
/**
 * The time that an attempt waits for others under way before it is refused, in all counters together, and the length of
 * single waits.
 */
export const patience = { totalMs: 5000, firstMs: 50, longestMs: 400 }

/** One attempt to log in, as the throttle sees it. */
export interface LoginAttempt {
  readonly user: LoginUser
  /** The version of root's secret, for root only: with a new secret, failures start from zero. */
  readonly rootVersion: string | undefined
  readonly sourceAddress: string
  /** Epoch milliseconds. */
  readonly now: number
}

interface Counter {
  readonly key: string
  readonly limit: number
  /** Whether the attempt is refused when the limit is reached; otherwise it only counts while there is room. */
  readonly isBinding: boolean
}

/**
 * Judges an attempt by `prove` if the limits allow it, otherwise throws `locked_out`. Failures are counted for the user
 * in this network, for the network over all users, and for the user over all networks. The last two do not limit a user
 * who has logged in from this network before, so no other client can lock such a user out. An attempt counts as failed
 * while it is judged, so that simultaneous attempts cannot all pass below a limit. If the room is taken by others under
 * way, it waits for them, since they may succeed. A success forgets the failures of this user in this network. Outages
 * do not count, nor does a right password without its one-time code.
 */
export async function throttleLogin<T>(
  throttle: LoginThrottle,
  attempt: LoginAttempt,
  prove: () => Promise<T>,
): Promise<T> {
  const { user, now } = attempt
  const network = loginNetwork(attempt.sourceAddress)
  const isKnown = await throttle.isKnown(user, network, now - knownMs)
  const [own, ...shared] = countersOf(attempt, network, isKnown)
  const begun = await beginAll(throttle, [own, ...shared], now)
  let proven: T
  try {
    proven = await prove()
  } catch (error) {
    if (isFailedLogin(error)) await Promise.all(begun.map((each) => throttle.settle(each)))
    else await releaseAll(throttle, begun)
    throw error
  }
  await Promise.all([
    throttle.clear(own.key),
    releaseAll(
      throttle,
      begun.filter(({ key }) => key !== own.key),
    ),
    throttle.remember(user, network, now, maxNetworks),
  ])
  return proven
}

/**
 * Returns the counters of an attempt, first the one of this user in this network. All attempts begin them in one order,
 * so that no two wait for each other. No two keys are equal, since a network contains no space.
 */
function countersOf(
  { user: { login, domain }, rootVersion }: LoginAttempt,
  network: string,
  isKnown: boolean,
): readonly [Counter, ...Counter[]] {
  const user = rootVersion === undefined ? `user ${login}@${domain}` : `root ${rootVersion}`
  return [
    { key: `${network} ${user}`, limit: maxFailures.ofUserFromNetwork, isBinding: true },
    { key: `network ${network}`, limit: maxFailures.fromNetwork, isBinding: !isKnown },
    { key: user, limit: maxFailures.ofUser, isBinding: !isKnown },
  ]
}

/**
 * A wrong password, an unknown user or a wrong code. A right password without a code is the first step of a login with
 * a second factor, so it does not count: otherwise such users would lock their own network.
 */
const isFailedLogin = (error: unknown) =>
  error instanceof DomainError &&
  !(error instanceof CodeMissing) &&
  (error.code === 'invalid_credentials' || error.code === 'not_found')

/** Begins an attempt in each counter. If one refuses, begins none of them and throws. */
async function beginAll(throttle: LoginThrottle, counters: readonly Counter[], now: number): Promise<BegunAttempt[]> {
  const begun: BegunAttempt[] = []
  const waiting: Waiting = { waitedMs: 0 }
  try {
    for (const counter of counters) {
      const attempt = await beginOne(throttle, counter, now, waiting)
      if (attempt !== undefined) begun.push(attempt)
    }
    return begun
  } catch (error) {
    await releaseAll(throttle, begun)
    throw error
  }
}

interface Waiting {
  waitedMs: number
}

/** Waits for room in a counter. A refused attempt does not count, so that the window passes. */
async function beginOne(
  throttle: LoginThrottle,
  { key, limit, isBinding }: Counter,
  now: number,
  waiting: Waiting,
): Promise<BegunAttempt | undefined> {
  for (let waitMs = patience.firstMs; ; waitMs = Math.min(waitMs * 2, patience.longestMs)) {
    const result = await throttle.begin(key, { limit, since: now - windowMs }, now)
    if ('attempt' in result) return result.attempt
    if (!isBinding) return undefined
    const { failures } = result
    const mayEnd = failures.some(({ at, isUnderWay }) => isUnderWay && at > now + waiting.waitedMs - judgingMs)
    if (!mayEnd || waiting.waitedMs >= patience.totalMs) throw lockedOut(failures[0]?.at ?? now, now)
    await throttle.pause(waitMs)
    waiting.waitedMs += waitMs
  }
}

/** Withdraws attempts. If this cannot be written, they count until the window has passed. */
async function releaseAll(throttle: LoginThrottle, begun: readonly BegunAttempt[]): Promise<void> {
  await Promise.allSettled(begun.map((each) => throttle.release(each)))
}

const codeKey = (username: string) => `code ${username.toLowerCase()}`

/**
 * Admits a one-time code of a user who is logged in, or throws `locked_out`. Each try counts as failed until {@link
 * forgetCodes}. Codes are counted separately from logins: the holder of a stolen token cannot lock its user out.
 */
export async function admitCode(throttle: Pick<LoginThrottle, 'begin'>, username: string, now: number): Promise<void> {
  const room = { limit: maxFailures.ofUserFromNetwork, since: now - windowMs }
  const begun = await throttle.begin(codeKey(username), room, now)
  if ('failures' in begun) throw lockedOut(begun.failures[0]?.at ?? now, now)
}

/** Forgets the failed codes of a user who has just entered a right one. */
export async function forgetCodes(throttle: Pick<LoginThrottle, 'clear'>, username: string): Promise<void> {
  await throttle.clear(codeKey(username))
}

function lockedOut(oldestAt: number, now: number): DomainError {
  const retryAfterSeconds = Math.max(1, Math.ceil((oldestAt + windowMs - now) / 1000))
  return new DomainError('locked_out', 'too many failed logins: try again later', { retryAfterSeconds })
}
