import type { DeliveryAttempt } from './delivery.ts'
import type { Hook } from '../definition/hook.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The waits of the contract after the first, second, … failed attempt; a hook uses the first `retries` of them. */
const usualWaits = [
  5 * second,
  30 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** The most that a wait which doubles grows to, its jitter included, and the most that a receiver may ask for. */
const longestWait = 24 * hour

/** How much longer than planned a wait may be, so that what failed together does not come back together. */
const jitter = 0.2

/**
 * Returns the milliseconds to wait after the `made`th attempt (1 for the first), without jitter; `undefined` if the
 * hook allows no further one. A hook with a `delay` waits that many seconds, and twice as long each time.
 */
export function plannedWait(hook: Pick<Hook, 'retries' | 'delay'>, made: number): number | undefined {
  if (made > hook.retries) return undefined
  const wait = hook.delay === undefined ? usualWaits[made - 1] : hook.delay * second * 2 ** (made - 1)
  return wait === undefined ? undefined : Math.min(wait, longestWait)
}

/**
 * Returns the time of the attempt after the `made`th, epoch milliseconds: the planned wait with up to 20 % of jitter,
 * or the receiver's `Retry-After` if that is later, 24 h at most. `undefined` if there is none. `random` returns a
 * number from 0 up to but not 1.
 */
export function nextAttemptAt(
  hook: Pick<Hook, 'retries' | 'delay'>,
  failed: { readonly made: number; readonly at: number; readonly retryAfter: string | undefined },
  random: () => number,
): number | undefined {
  const planned = plannedWait(hook, failed.made)
  if (planned === undefined) return undefined
  const asked = Math.min(readRetryAfter(failed.retryAfter, failed.at) ?? 0, longestWait)
  const wait = Math.floor(planned * (1 + jitter * random()))
  return failed.at + Math.max(hook.delay === undefined ? wait : Math.min(wait, longestWait), asked)
}

/**
 * Returns the milliseconds that a `Retry-After` header asks to wait from `now`: seconds, or an HTTP date. `undefined`
 * for anything else, and for a date in the past (RFC 9110, section 10.2.3).
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,15}$/.test(text)) return Number(text) * second
  if (!httpDate.test(text)) return undefined
  const wait = Date.parse(text) - now
  return Number.isFinite(wait) && wait > 0 ? wait : undefined
}

/** The preferred form and the two obsolete ones all begin with the name of a day; `Date.parse` reads far more. */
const httpDate = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? [\w :-]{8,40}$/

/** The statuses of the contract that another attempt may mend. */
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429])

/**
 * Returns whether a failed attempt may be retried: no answer came, the pre-request failed, or the status is temporary.
 */
export function mayBeRetried({ status, reason }: Pick<DeliveryAttempt, 'status' | 'reason'>): boolean {
  if (reason === 'bad_template') return false
  if (status === undefined || reason === 'auth_failed') return true
  return passingStatuses.has(status) || (status >= 500 && status <= 599)
}
