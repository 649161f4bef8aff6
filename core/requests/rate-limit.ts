import { DomainError, type LimitLeft } from '../errors.ts'

/** The number of requests that may pass: the rate in the long run, and the burst. */
export interface Allowance {
  /** Milliseconds in which one more request becomes free. */
  readonly intervalMs: number
  /** The most requests at one moment. */
  readonly burst: number
}

/** The answer to a request that was counted. */
export interface RateVerdict extends LimitLeft {
  readonly isAllowed: boolean
  /** Milliseconds until the next one is free; 0 while there are any. */
  readonly waitMs: number
}

/**
 * Takes one request from a token bucket that is kept as one number (the generic cell rate algorithm): the moment, in
 * epoch milliseconds, at which the bucket is full again. Returns the verdict for a request at `now` and the moment to
 * keep afterwards.
 */
export function takeOne(
  fullAt: number | undefined,
  allowance: Allowance,
  now: number,
): { readonly verdict: RateVerdict; readonly fullAt: number } {
  const before = Math.max(fullAt ?? now, now)
  const isAllowed = before <= latestForOne(allowance, now)
  const kept = isAllowed ? before + allowance.intervalMs : before
  return { verdict: verdictOf(kept, allowance, now, isAllowed), fullAt: kept }
}

/**
 * Returns the latest moment of a bucket that still has room for one request. A thousandth of an interval is added,
 * since sums of intervals that are no whole milliseconds are rounded, by stores in other ways than here.
 */
export function latestForOne({ intervalMs, burst }: Allowance, now: number): number {
  return now + (burst - 1 + 1 / 1000) * intervalMs
}

/** Returns the state of a bucket after a request that was allowed or refused. */
export function verdictOf(
  fullAt: number,
  { intervalMs, burst }: Allowance,
  now: number,
  isAllowed: boolean,
): RateVerdict {
  const free = now + burst * intervalMs - fullAt
  return {
    isAllowed,
    limit: burst,
    remaining: Math.max(0, Math.floor(free / intervalMs)),
    resetMs: Math.max(0, fullAt - now),
    waitMs: free >= intervalMs ? 0 : intervalMs - free,
  }
}

/** Returns the verdict on a use of a window, given the earlier uses that still count, oldest first. */
export function windowVerdict(
  uses: readonly number[],
  { limit, windowMs }: { readonly limit: number; readonly windowMs: number },
  now: number,
): RateVerdict {
  const isAllowed = uses.length < limit
  const counted = isAllowed ? [...uses, now] : uses
  const freeIn = (use: number | undefined) => (use === undefined ? 0 : Math.max(0, use + windowMs - now))
  return {
    isAllowed,
    limit,
    remaining: limit - counted.length,
    resetMs: freeIn(counted.at(-1)),
    waitMs: counted.length < limit ? 0 : freeIn(counted[0]),
  }
}

const seconds = (ms: number) => String(Math.ceil(ms / 1000))

/** Returns the headers that show a caller the rest of its limit. */
export function rateHeaders({ limit, remaining, resetMs }: LimitLeft): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': seconds(resetMs),
  }
}

/** Returns the refusal of a request above an allowance, or above another limit that has a number. */
export function rateLimited(
  { limit, remaining, resetMs, waitMs }: Omit<RateVerdict, 'isAllowed'>,
  what = 'too many requests',
): DomainError {
  return new DomainError('rate_limited', `${what}: try again later`, {
    limit: { limit, remaining, resetMs },
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}

/** Counts requests against allowances, for all processes together. */
export interface RateLimitStore {
  /** Takes one request from the allowance of a key, if there is one left. A refused request takes nothing. */
  take(key: string, allowance: Allowance, now: number): Promise<RateVerdict>
  /** Takes one of `limit` uses in any span of `windowMs`; a refused use takes nothing. */
  takeInWindow(
    key: string,
    window: { readonly limit: number; readonly windowMs: number },
    now: number,
  ): Promise<RateVerdict>
  /**
   * Takes one of `limit` places (10 at most) that are held until they are left, or until their lease is over; answers
   * which, or nothing when all are taken.
   */
  enter(
    key: string,
    places: { readonly limit: number; readonly leaseMs: number },
    now: number,
  ): Promise<string | undefined>
  /** Releases a slot that {@link enter} returned; a slot that is lost already stays so. */
  leave(key: string, place: string): Promise<void>
}
