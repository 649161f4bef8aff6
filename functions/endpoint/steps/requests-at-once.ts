import { rateLimited } from '../../../core/requests/rate-limit.ts'
import { countInTime, late } from '../deadline.ts'
import { type Endpoint, type Step, requirePort } from '../endpoint-parts.ts'
import type { Exchange } from '../exchange.ts'
import { tokenOf } from '../token-text.ts'

/** The two steps that limit how many requests of one token run at once. */
export interface RequestsAtOnce {
  /** Requests a slot, which is acquired while the credential is read, and released with the answer. */
  readonly ask: Step
  /** Refuses a request without a slot. If the store does not answer within 50 ms, the request goes on. */
  readonly require: Step
}

/** A request ends within 29 s, so the slot of a function that died is free after this time. */
export const leaseMs = 30_000

/** The waiting time that is advised to a refused caller; most searches take no longer. */
const waitMs = 1000

/** Creates the steps of a route; they do nothing if it has no such limit. */
export function requestsAtOnce({ route, ports, tools }: Endpoint): RequestsAtOnce {
  const { atOnce } = route
  const limit = atOnce === undefined ? undefined : tools.settings.rateLimits[atOnce]
  return {
    ask: {
      before: ({ event: exchange }) => {
        const token = tokenOf(exchange.event)
        if (limit === undefined || token === '') return
        const { enter, leave } = requirePort(ports.rateLimits)
        const key = `${atOnce}:${token}`
        const now = tools.clock.now()
        const entering = settled(exchange, async () => (await enter(key, { limit, leaseMs }, now)) ?? 'full')
        exchange.leave = async () => {
          const place = await entering
          if (place !== 'unknown' && place !== 'full') await settled(exchange, async () => leave(key, place))
        }
        exchange.isFull = isFull(exchange, entering)
      },
    },
    require: {
      before: async ({ event: exchange }) => {
        if (limit === undefined || !(await exchange.isFull)) return
        const full = { limit, remaining: 0, resetMs: waitMs, waitMs }
        throw rateLimited(full, `${limit} requests of this token are under way`)
      },
    },
  }

  async function isFull(exchange: Exchange, entering: Promise<string>): Promise<boolean> {
    const { error } = await exchange.credential
    if (error !== undefined) return false
    const place = await countInTime(entering)
    if (place === late) exchange.log.warn('request not counted in time', { limit: atOnce })
    return place === 'full'
  }
}

/** Returns the result of a call; `unknown` if it fails, which is logged. */
async function settled<T>({ log }: Exchange, call: () => Promise<T>): Promise<T | 'unknown'> {
  try {
    return await call()
  } catch (error) {
    log.error('request not counted', error)
    return 'unknown'
  }
}
