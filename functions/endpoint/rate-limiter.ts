import { createHash } from 'node:crypto'
import type { LimitName, Route } from '../../contracts/routes/route.ts'
import { limitsOf } from '../../contracts/routes/route.ts'
import { sourceNetwork } from '../../core/auth/source-network.ts'
import type { DomainError } from '../../core/errors.ts'
import { type Allowance, type RateVerdict, rateLimited } from '../../core/limits/allowance.ts'
import type { RateLimitStore } from '../../core/limits/rate-limit-store.ts'
import { countInTime, late } from './deadline.ts'
import type { Exchange } from './exchange.ts'
import type { RateLimits } from '../../contracts/settings/rates.ts'

/** Lets a request through, or throws `rate_limited` before anything of it is done. */
export type RateLimiter = (
  exchange: Exchange,
  store: Partial<Pick<RateLimitStore, 'take'>> | undefined,
  now: number,
  authenticate: () => Promise<void>,
) => Promise<void>

/** Credentials and keys that one process remembers; beyond it, it forgets all of them. */
const maxRemembered = 10_000
/**
 * A refusal is remembered for this long at least, so that a flood costs each process four writes a second for a key and
 * not one for each request. No request is lost by it: see {@link rememberMs}.
 */
const minRememberedMs = 250
/**
 * The first request of a process also opens the connection to the store. Where it must be counted it waits this long,
 * since the alternative would be to refuse it.
 */
const coldPatienceMs = 1000
/** When a caller whose request could not be counted may try again. */
const uncountedWaitMs = 1000

/** One count of a request: by which limit, and whose allowance. */
interface Charge {
  readonly name: LimitName
  readonly allowance: Allowance
  /** The key of the allowance in the store. */
  readonly key: string
}

/** A count under way; `undefined` when it fails. Never rejects. */
interface Count {
  readonly charge: Charge
  readonly verdict: Promise<RateVerdict | undefined>
}

/** The counts of a request that were known in time, and the charges of those that were not. */
interface Counted {
  readonly verdicts: readonly RateVerdict[]
  readonly uncounted: readonly Charge[]
}

/**
 * Counts requests while their credential is read, and waits for both: for the counts at most 50 ms. A request that is
 * not counted by then is refused where its route says so (`mustBeCounted`), and passes elsewhere.
 *
 * A token is counted as it is presented: only its holder can use up its allowance. The allowance of a domain is charged
 * beside the credential read for a token that this process has seen to be genuine, and after it for any other, so that
 * a forged token uses up nobody's allowance. A caller who was refused is refused from memory until the next request is
 * free.
 */
export function rateLimiter(route: Route, limits: RateLimits): RateLimiter {
  const applied = limitsOf(route).flatMap((name) => {
    const allowance = limits[name]
    return allowance === undefined ? [] : [{ name, allowance }]
  })
  const domainOfToken = new Map<string, string>()
  const refusals = new Map<string, { readonly verdict: RateVerdict; readonly until: number }>()
  let isCold = route.mustBeCounted === true

  async function take(store: Pick<RateLimitStore, 'take'>, charge: Charge, now: number): Promise<RateVerdict> {
    const { key, allowance } = charge
    const refused = refusals.get(key)
    if (refused !== undefined && refused.until > now) return { ...refused.verdict, waitMs: refused.until - now }
    const verdict = await store.take(key, allowance, now)
    isCold = false
    if (!verdict.isAllowed) remember(refusals, key, { verdict, until: now + rememberMs(verdict, allowance) })
    return verdict
  }

  /** The charges of all applied limits of some names, for one owner of the allowances. */
  const charges = (owner: string, isWanted: (name: LimitName) => boolean): Charge[] =>
    applied
      .filter(({ name }) => isWanted(name))
      .map(({ name, allowance }) => ({ name, allowance, key: `${name}:${owner}` }))
  const ofDomain = (domain: string) => charges(domain, (name) => name !== 'token' && name !== 'login')
  return async (exchange, store, now, authenticate) => {
    if (applied.length === 0) return authenticate()
    if (store?.take === undefined) throw new Error('a port of the wrapper itself is missing')
    const counter = { take: store.take }
    const patienceMs = isCold ? coldPatienceMs : undefined
    const wait = (counts: readonly Count[]) => allInTime(exchange, counts, patienceMs)
    const begin = (wanted: readonly Charge[]): Count[] =>
      wanted.map((charge) => ({ charge, verdict: logFailure(exchange, take(counter, charge, now)) }))

    if (route.authentication !== 'token') {
      const source = sourceNetwork(exchange.event.requestContext.http.sourceIp)
      judge(exchange, route, await wait(begin(charges(source, () => true))))
      return authenticate()
    }
    const token = tokenOf(exchange)
    const known = domainOfToken.get(token)
    const counts = begin([
      ...(token === '' ? [] : charges(token, (name) => name === 'token')),
      ...(known === undefined ? [] : ofDomain(known)),
    ])
    const outcome = await settled(authenticate())
    const counted = await wait(counts)
    refuse(exchange, counted.verdicts)
    if (outcome.error !== undefined) {
      domainOfToken.delete(token)
      throw outcome.error
    }
    const domain = exchange.caller?.domain ?? ''
    if (domain === '' || domain === known) return judge(exchange, route, counted)
    remember(domainOfToken, token, domain)
    const more = await wait(begin(ofDomain(domain)))
    judge(exchange, route, {
      verdicts: [...counted.verdicts, ...more.verdicts],
      uncounted: [...counted.uncounted, ...more.uncounted],
    })
  }
}

/**
 * How long a refusal is remembered: until the next request is free, and 250 ms at least where the bucket fills up for
 * longer than that. What becomes free meanwhile waits in the bucket, so the rate that passes stays the same.
 */
function rememberMs({ waitMs }: RateVerdict, { intervalMs, burst }: Allowance): number {
  return Math.max(waitMs, Math.min(minRememberedMs, (intervalMs * burst) / 4))
}

/** Waits for all counts together; what is not known by then is uncounted. */
async function allInTime(
  exchange: Exchange,
  counts: readonly Count[],
  patienceMs: number | undefined,
): Promise<Counted> {
  const verdicts: RateVerdict[] = []
  const uncounted: Charge[] = []
  const results = await Promise.all(counts.map(({ verdict }) => countInTime(verdict, patienceMs)))
  for (const [index, { charge }] of counts.entries()) {
    const verdict = results[index]
    if (verdict === late) exchange.log.warn('request not counted in time', { limit: charge.name })
    if (verdict === late || verdict === undefined) uncounted.push(charge)
    else verdicts.push(verdict)
  }
  return { verdicts, uncounted }
}

/** Refuses a request above an allowance, or one that had to be counted and was not. */
function judge(exchange: Exchange, { mustBeCounted }: Route, { verdicts, uncounted }: Counted): void {
  refuse(exchange, verdicts)
  const [missing] = uncounted
  if (mustBeCounted === true && missing !== undefined) throw notCounted(missing)
}

/** Refuses a request above an allowance, and keeps the tightest verdict for the headers of the answer. */
function refuse(exchange: Exchange, verdicts: readonly RateVerdict[]): void {
  const refused = verdicts.filter((verdict) => !verdict.isAllowed).toSorted((a, b) => b.waitMs - a.waitMs)
  const tightest = verdicts.toSorted((a, b) => a.remaining - b.remaining)
  exchange.rate = refused[0] ?? tightest[0]
  if (refused[0] !== undefined) throw rateLimited(refused[0])
}

function notCounted({ allowance }: Charge): DomainError {
  const wait = { resetMs: uncountedWaitMs, waitMs: uncountedWaitMs }
  return rateLimited({ limit: allowance.burst, remaining: 0, ...wait }, 'the request could not be counted in time')
}

async function logFailure(exchange: Exchange, verdict: Promise<RateVerdict>): Promise<RateVerdict | undefined> {
  try {
    return await verdict
  } catch (error) {
    exchange.log.error('request not counted', error)
    return undefined
  }
}

async function settled(work: Promise<void>): Promise<{ readonly error?: unknown }> {
  try {
    await work
    return {}
  } catch (error) {
    return { error }
  }
}

/** Stands for the presented token, empty where there is none: nothing that is stored or logged reveals the token. */
export function tokenOf({ event }: Exchange): string {
  const text = event.headers['x-access-token'] ?? ''
  return text === '' ? '' : createHash('sha256').update(`rate:${text}`).digest('base64url')
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  if (map.size >= maxRemembered) map.clear()
  map.set(key, value)
}
