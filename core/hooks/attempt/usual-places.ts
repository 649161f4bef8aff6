import type { RateLimitStore } from '../../requests/rate-limit.ts'
import type { Clock } from '../../time.ts'

/**
 * How many attempts of one domain are made at a time among the usual ones: those of one batch. A laptop has 20
 * functions for them and the cloud 100, and each is busy until the slowest of its attempts is over, which takes 30 s at
 * most: were there no limit, one domain with slow receivers could occupy all of them before anybody knew that its
 * receivers are slow.
 */
const places = { limit: 10, leaseMs: 60_000 }

export interface UsualPlacesDeps {
  readonly rateLimits: Pick<RateLimitStore, 'enter' | 'leave'>
  readonly clock: Clock
}

/**
 * Runs work in one of the places that a domain has among the usual attempts; `busy` when it has none left, or when that
 * cannot be counted. A place that a killed process held is free again after a minute, as long as a function runs.
 */
export async function inUsualPlace<T>(
  { rateLimits, clock }: UsualPlacesDeps,
  domain: string,
  work: () => Promise<T>,
): Promise<T | 'busy'> {
  const key = `attempts:${domain}`
  const place = await rateLimits.enter(key, places, clock.now()).catch(() => undefined)
  if (place === undefined) return 'busy'
  try {
    return await work()
  } finally {
    // A place that is not left now is free when its lease is over.
    await rateLimits.leave(key, place).catch(() => {})
  }
}
