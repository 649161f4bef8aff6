import { type LimitName, type Route, limitsOf } from '../../../contracts/routes/route.ts'
import { sourceNetwork } from '../../../core/auth/source-network.ts'
import type { DomainError } from '../../../core/errors.ts'
import {
  type Allowance,
  type RateLimitStore,
  type RateVerdict,
  rateLimited,
} from '../../../core/requests/rate-limit.ts'
import { countInTime, late, withDeadline } from '../deadline.ts'
import { type Endpoint, type Step, requirePort } from '../endpoint-parts.ts'
import type { Counts, Exchange } from '../exchange.ts'
import { tokenOf } from '../token-text.ts'

/** Credentials and keys that one process remembers; when there are more, it forgets all of them. */
const maxRemembered = 10_000
/**
 * The least time for which a refusal is remembered, so that a flood costs each process four writes a second for a key
 * instead of one for each request. No capacity is lost: see {@link rememberMs}.
 */
const minRememberedMs = 250
/** If requests must be counted, the first ones of a process wait at most this long for its connection to the store. */
const connectMs = 1000
/** An allowance of the service itself that limits no caller: each process counts it once, to open its connection. */
const ofConnecting = { key: 'connecting', allowance: { intervalMs: 1, burst: 1_000_000 } } as const
const uncountedWaitMs = 1000

interface Charge {
  readonly name: LimitName
  readonly allowance: Allowance
  readonly key: string
}

/** A count in progress; `undefined` if it fails. Never rejects. */
interface Count {
  readonly charge: Charge
  readonly verdict: Promise<RateVerdict | undefined>
}

/** A refusal, and the moment until which it is repeated from memory, epoch milliseconds. */
interface Refusal {
  readonly verdict: RateVerdict
  readonly until: number
}

/**
 * Counts requests while their credential is read, and waits for both, at most 50 ms for the counts. A request whose
 * counts are late is refused if its route requires that (`mustBeCounted`), and admitted otherwise. The endpoint of such
 * a route connects to the store when it is created, and the 50 ms of its first request begin once it is connected. A
 * token is counted as presented: only its holder can use up its allowance. The domain's allowance is charged while the
 * credential is read if this process has seen that the token is genuine, and afterwards otherwise, so that a forged
 * token charges no domain. After a refusal, a caller is refused from memory until its next request is free.
 */
export class RateLimit {
  /** Counts a request against the presented token, or against its source where the route takes none. */
  readonly ofPresenter: Step
  readonly ofDomain: Step
  readonly #endpoint: Endpoint
  readonly #applied: readonly Omit<Charge, 'key'>[]
  readonly #domainOfToken = new Map<string, string>()
  readonly #refusals = new Map<string, Refusal>()
  #connecting: Promise<void> | undefined

  constructor(endpoint: Endpoint) {
    const { route, tools } = endpoint
    this.#endpoint = endpoint
    this.#applied = limitsOf(route).flatMap((name) => {
      const allowance = tools.settings.rateLimits[name]
      return allowance === undefined ? [] : [{ name, allowance }]
    })
    const isApplied = this.#applied.length > 0
    const isByToken = route.authentication === 'token'
    if (route.mustBeCounted === true && isApplied) this.#connecting = connect(endpoint)
    this.ofPresenter = {
      before: async ({ event }) => {
        if (isApplied) await (isByToken ? this.#countToken(event) : this.#countSource(event))
      },
    }
    this.ofDomain = {
      before: async ({ event }) => {
        if (isApplied && isByToken) await this.#countDomain(event)
      },
    }
  }

  async #countSource(exchange: Exchange): Promise<void> {
    const source = sourceNetwork(exchange.event.requestContext.http.sourceIp)
    const bySource = this.#charges(source, () => true)
    await this.#begin(exchange, bySource)
    judge(exchange, this.#endpoint.route)
  }

  async #countToken(exchange: Exchange): Promise<void> {
    const token = tokenOf(exchange.event)
    const knownDomain = this.#domainOfToken.get(token)
    const byToken = token === '' ? [] : this.#charges(token, (name) => name === 'token')
    const byDomain = knownDomain === undefined ? [] : this.#domainCharges(knownDomain)
    await this.#begin(exchange, [...byToken, ...byDomain], knownDomain)
    // A refused token charges its domain no further: one user must not use up the allowance of all.
    if (exchange.counts.verdicts.some(({ isAllowed }) => !isAllowed)) this.#domainOfToken.delete(token)
    refuse(exchange)
    const { error } = await exchange.credential
    // A domain is charged for admitted requests only, so the token of a refused one is forgotten.
    if (error !== undefined || (await exchange.isFull)) this.#domainOfToken.delete(token)
  }

  async #countDomain(exchange: Exchange): Promise<void> {
    const domain = exchange.caller?.domain ?? ''
    const { verdicts, uncounted, knownDomain } = exchange.counts
    if (domain !== '' && domain !== knownDomain) {
      remember(this.#domainOfToken, tokenOf(exchange.event), domain)
      const more = await this.#count(exchange, this.#domainCharges(domain))
      exchange.counts = {
        ...exchange.counts,
        verdicts: [...verdicts, ...more.verdicts],
        uncounted: [...uncounted, ...more.uncounted],
      }
    }
    judge(exchange, this.#endpoint.route)
  }

  async #begin(exchange: Exchange, wanted: readonly Charge[], knownDomain?: string): Promise<void> {
    exchange.counts = { ...(await this.#count(exchange, wanted)), knownDomain }
  }

  async #count(exchange: Exchange, wanted: readonly Charge[]): Promise<Pick<Counts, 'verdicts' | 'uncounted'>> {
    const { ports, tools } = this.#endpoint
    const store = requirePort(ports.rateLimits)
    if (this.#connecting !== undefined) await withDeadline(this.#connecting, connectMs)
    this.#connecting = undefined
    const now = tools.clock.now()
    const counts = wanted.map((charge) => ({ charge, verdict: logFailure(exchange, this.#take(store, charge, now)) }))
    await Promise.all([exchange.credential, exchange.isFull])
    return allInTime(exchange, counts)
  }

  async #take(store: Pick<RateLimitStore, 'take'>, { key, allowance }: Charge, now: number): Promise<RateVerdict> {
    const refused = this.#refusals.get(key)
    if (refused !== undefined && refused.until > now) return { ...refused.verdict, waitMs: refused.until - now }
    const verdict = await store.take(key, allowance, now)
    if (!verdict.isAllowed) remember(this.#refusals, key, { verdict, until: now + rememberMs(verdict, allowance) })
    return verdict
  }

  #domainCharges(domain: string): readonly Charge[] {
    return this.#charges(domain, (name) => name !== 'token' && name !== 'login')
  }

  #charges(owner: string, isWanted: (name: LimitName) => boolean): readonly Charge[] {
    return this.#applied
      .filter(({ name }) => isWanted(name))
      .map(({ name, allowance }) => ({ name, allowance, key: `${name}:${owner}` }))
  }
}

/**
 * Counts the allowance of connecting, so that the connection to the store is open and its client loaded before the
 * first request is counted: that takes longer than a count may. Never rejects; the counts themselves show whether the
 * store is down.
 */
async function connect({ ports, tools }: Pick<Endpoint, 'ports' | 'tools'>): Promise<void> {
  try {
    await requirePort(ports.rateLimits).take(ofConnecting.key, ofConnecting.allowance, tools.clock.now())
  } catch (error) {
    tools.log.warn('no connection to the store of allowances yet', { problem: String(error) })
  }
}

/**
 * Returns how long a refusal is remembered: until the next request is free, and at least 250 ms if the bucket fills up
 * more slowly than that. Capacity that becomes free meanwhile stays in the bucket, so the admitted rate is the same.
 */
function rememberMs({ waitMs }: RateVerdict, { intervalMs, burst }: Allowance): number {
  return Math.max(waitMs, Math.min(minRememberedMs, (intervalMs * burst) / 4))
}

/** Waits for all counts together; a late count is uncounted. */
async function allInTime(
  exchange: Exchange,
  counts: readonly Count[],
): Promise<Pick<Counts, 'verdicts' | 'uncounted'>> {
  const verdicts: RateVerdict[] = []
  const uncounted: Allowance[] = []
  const results = await Promise.all(counts.map(({ verdict }) => countInTime(verdict)))
  for (const [index, { charge }] of counts.entries()) {
    const verdict = results[index]
    if (verdict === late) exchange.log.warn('request not counted in time', { limit: charge.name })
    if (verdict === late || verdict === undefined) uncounted.push(charge.allowance)
    else verdicts.push(verdict)
  }
  return { verdicts, uncounted }
}

function judge(exchange: Exchange, { mustBeCounted }: Route): void {
  refuse(exchange)
  const [missing] = exchange.counts.uncounted
  if (mustBeCounted === true && missing !== undefined) throw notCounted(missing)
}

function refuse(exchange: Exchange): void {
  const { verdicts } = exchange.counts
  const refused = verdicts.filter((verdict) => !verdict.isAllowed).toSorted((a, b) => b.waitMs - a.waitMs)
  const tightest = verdicts.toSorted((a, b) => a.remaining - b.remaining)
  exchange.rate = refused[0] ?? tightest[0]
  if (refused[0] !== undefined) throw rateLimited(refused[0])
}

function notCounted(allowance: Allowance): DomainError {
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

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  if (map.size >= maxRemembered) map.clear()
  map.set(key, value)
}
