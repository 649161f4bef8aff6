import type { Route } from '../../contracts/routes/route.ts'
import { rateLimited } from '../../core/limits/allowance.ts'
import type { RateLimitStore } from '../../core/limits/rate-limit-store.ts'
import { countInTime, late } from './deadline.ts'
import type { Exchange } from './exchange.ts'
import { tokenOf } from './rate-limiter.ts'
import type { RateLimits } from '../../contracts/settings/rates.ts'

/** Authenticates a request, and throws `rate_limited` when too many of its token are under way. */
export type LimitAtOnce = (
  exchange: Exchange,
  store: Partial<Pick<RateLimitStore, 'enter' | 'leave'>> | undefined,
  now: number,
  authenticate: () => Promise<void>,
) => Promise<void>

/** A request is over within 29 s: the place of one whose function died is free again then. */
export const leaseMs = 30_000

/** When a refused caller may try again; most searches take no longer. */
const waitMs = 1000

/**
 * Limits how many requests of one token run at once. The request takes its place while its credential is read and waits
 * for both, for the place at most 50 ms; without an answer by then it goes on. It gives the place back with its answer.
 */
export function requestsAtOnce({ atOnce }: Route, limits: RateLimits): LimitAtOnce {
  const limit = atOnce === undefined ? undefined : limits[atOnce]
  return async (exchange, store, now, authenticate) => {
    const token = tokenOf(exchange)
    if (limit === undefined || token === '') return authenticate()
    if (store?.enter === undefined || store.leave === undefined) {
      throw new Error('a port of the wrapper itself is missing')
    }
    const { enter, leave } = store
    const key = `${atOnce}:${token}`
    const entering = settled(exchange, async () => (await enter(key, { limit, leaseMs }, now)) ?? 'full')
    exchange.leave = async () => {
      const place = await entering
      if (place !== 'unknown' && place !== 'full') await settled(exchange, async () => leave(key, place))
    }
    await authenticate()
    const place = await countInTime(entering)
    if (place === late) exchange.log.warn('request not counted in time', { limit: atOnce })
    const full = { limit, remaining: 0, resetMs: waitMs, waitMs }
    if (place === 'full') throw rateLimited(full, `${limit} requests of this token are under way`)
  }
}

/** What a call comes to; `unknown` where it fails, which is logged. */
async function settled<T>({ log }: Exchange, call: () => Promise<T>): Promise<T | 'unknown'> {
  try {
    return await call()
  } catch (error) {
    log.error('request not counted', error)
    return 'unknown'
  }
}
