import { DomainError, type LimitLeft } from '../errors.ts'

/** How many requests are let through: at a rate in the long run, and some at once. */
export interface Allowance {
  /** Milliseconds in which one more request becomes free. */
  readonly intervalMs: number
  /** The most requests at one moment. */
  readonly burst: number
}

/** What came of asking for one request. */
export interface RateVerdict extends LimitLeft {
  readonly isAllowed: boolean
  /** Milliseconds until the next one is free; 0 while there are any. */
  readonly waitMs: number
}

/**
 * A token bucket kept as one number (the generic cell rate algorithm): the moment, in epoch milliseconds, at which the
 * bucket is full again. Answers what a request at `now` comes to, and the moment that is to be kept after it.
 */
export function takeOne(
  fullAt: number | undefined,
  { intervalMs, burst }: Allowance,
  now: number,
): { readonly verdict: RateVerdict; readonly fullAt: number } {
  const before = Math.max(fullAt ?? now, now)
  const after = before + intervalMs
  const isAllowed = after <= now + burst * intervalMs
  const kept = isAllowed ? after : before
  const free = now + burst * intervalMs - kept
  return {
    verdict: {
      isAllowed,
      limit: burst,
      remaining: Math.floor(free / intervalMs),
      resetMs: kept - now,
      waitMs: free >= intervalMs ? 0 : intervalMs - free,
    },
    fullAt: kept,
  }
}

/** What a use of a window comes to, given when those before it were that still count, oldest first. */
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

/** The headers that tell a caller how much he may still do. */
export function rateHeaders({ limit, remaining, resetMs }: LimitLeft): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': seconds(resetMs),
  }
}

/** The refusal of a request above an allowance, or above another limit that has a number. */
export function rateLimited(
  { limit, remaining, resetMs, waitMs }: Omit<RateVerdict, 'isAllowed'>,
  what = 'too many requests',
): DomainError {
  return new DomainError('rate_limited', `${what}: try again later`, {
    limit: { limit, remaining, resetMs },
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  })
}
