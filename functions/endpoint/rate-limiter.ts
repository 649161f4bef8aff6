import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { LimitName, Route } from '../../contracts/routes/route.ts'
import { limitsOf } from '../../contracts/routes/route.ts'
import { type RateVerdict, rateLimited } from '../../core/limits/allowance.ts'
import type { RateLimitStore } from '../../core/limits/rate-limit-store.ts'
import { withDeadline } from './deadline.ts'
import type { Exchange } from './exchange.ts'
import type { RateLimits } from './rate-limits.ts'

/** Lets a request through, or throws `rate_limited` before anything of it is done. */
export type RateLimiter = (
  exchange: Exchange,
  store: Partial<Pick<RateLimitStore, 'take'>> | undefined,
  now: number,
  authenticate: () => Promise<void>,
) => Promise<void>

/** Credentials and keys remembered by one process; a busier one forgets all of them. */
const maxRemembered = 10_000
/** A request without a credential read, a login, waits at most this long for its count. */
const loginPatienceMs = 100

/** What one request is counted by: a name, and whose allowance it is. */
type Charge = readonly [name: LimitName, key: string]

/**
 * Counts requests beside their authentication, so that counting takes no time of its own: a count that is not known
 * when the credential is, or that cannot be had, lets the request through.
 *
 * A token is counted as it is presented: only who holds it can use its allowance up. For its domain it is counted once
 * this process has seen it to be genuine, so that nobody uses up a domain's allowance by a forged one; the first
 * request of a token in a process is counted, and passes. Who was refused is refused without a count until his next
 * request is free.
 */
export function rateLimiter(route: Route, limits: RateLimits): RateLimiter {
  const held = limitsOf(route).filter((name) => limits[name] !== undefined)
  const domainOfToken = new Map<string, string>()
  const refusals = new Map<string, { readonly verdict: RateVerdict; readonly until: number }>()

  async function take(store: Pick<RateLimitStore, 'take'>, [name, key]: Charge, now: number): Promise<RateVerdict[]> {
    const allowance = limits[name]
    if (allowance === undefined) return []
    const id = `${name}:${key}`
    const refused = refusals.get(id)
    if (refused !== undefined && refused.until > now) return [{ ...refused.verdict, waitMs: refused.until - now }]
    const verdict = await store.take(id, allowance, now)
    if (!verdict.isAllowed) remember(refusals, id, { verdict, until: now + verdict.waitMs })
    return [verdict]
  }

  const perDomain = (domain: string): Charge[] =>
    held.filter((name) => name !== 'token' && name !== 'login').map((name) => [name, domain])

  return async (exchange, store, now, authenticate) => {
    if (held.length === 0) return authenticate()
    if (store?.take === undefined) throw new Error('a port of the wrapper itself is missing')
    const counter = { take: store.take }
    const count = (charges: readonly Charge[]) =>
      counted(
        exchange,
        charges.map((charge) => take(counter, charge, now)),
      )
    if (route.authentication !== 'token') {
      judge(exchange, await withDeadline(count(sourceCharges(held, exchange)), loginPatienceMs))
      return authenticate()
    }
    const token = tokenOf(exchange)
    const domain = domainOfToken.get(token)
    const isCounted = held.includes('token') && token !== ''
    const counting = count([...(isCounted ? ([['token', token]] as const) : []), ...(domain ? perDomain(domain) : [])])
    const outcome = await settled(authenticate())
    judge(exchange, await Promise.race([counting, setImmediate(undefined)]))
    if (outcome.error !== undefined) {
      domainOfToken.delete(token)
      throw outcome.error
    }
    const bound = exchange.caller?.domain ?? ''
    if (bound === '' || bound === domain) return undefined
    remember(domainOfToken, token, bound)
    exchange.beside.push(count(perDomain(bound)).then(() => undefined))
  }
}

/** Refuses what is above an allowance, and keeps the tightest verdict for the answer's headers. */
function judge(exchange: Exchange, verdicts: unknown): void {
  if (!Array.isArray(verdicts)) return
  const known: RateVerdict[] = verdicts
  const refused = known.filter((verdict) => !verdict.isAllowed).toSorted((a, b) => b.waitMs - a.waitMs)
  const tightest = known.toSorted((a, b) => a.remaining - b.remaining)
  exchange.rate = refused[0] ?? tightest[0]
  if (refused[0] !== undefined) throw rateLimited(refused[0])
}

/** All verdicts that could be had. Never rejects: what cannot be counted is let through, and logged. */
async function counted(exchange: Exchange, takes: readonly Promise<RateVerdict[]>[]): Promise<RateVerdict[]> {
  const results = await Promise.allSettled(takes)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) exchange.log.error('request not counted', failed.reason)
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}

async function settled(work: Promise<void>): Promise<{ readonly error?: unknown }> {
  try {
    await work
    return {}
  } catch (error) {
    return { error }
  }
}

function sourceCharges(held: readonly LimitName[], { event }: Exchange): Charge[] {
  return held.map((name) => [name, event.requestContext.http.sourceIp])
}

/** Stands for the presented token, empty where there is none: nothing that is stored or logged gives the token away. */
export function tokenOf({ event }: Exchange): string {
  const text = event.headers['x-access-token'] ?? ''
  return text === '' ? '' : createHash('sha256').update(`rate:${text}`).digest('base64url')
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  if (map.size >= maxRemembered) map.clear()
  map.set(key, value)
}
