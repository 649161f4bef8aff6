import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Route } from '../../contracts/routes/route.ts'
import { sourceNetwork } from '../../core/auth/source-network.ts'
import { readTokenClaims } from '../../functions/endpoint/token-text.ts'

/** The sharing of places among requests, as far as the gateway knows before a function has checked the credential. */
export interface Caller {
  /** A domain, root or the engine when the credential is known to be genuine; else the network that the request is from. */
  readonly name: string
  /** The digest of the credential; absent where there is none. */
  readonly credential?: string
}

/** The parts of a request that identify its caller. */
interface CalledBy {
  readonly headers: IncomingHttpHeaders
  readonly address: string
}

/** Credentials that are remembered, some 200 bytes each. */
const maxRemembered = 10_000

/**
 * Distinguishes callers. A credential counts only after a route that judges it has answered a success: any client can make up
 * a thousand tokens of a thousand domains, and they all count as the network that they come from.
 */
export class Callers {
  /** The names of callers by the digest of their credential; the one that was used longest ago comes first. */
  readonly #known = new Map<string, string>()
  readonly #judges: ReadonlyMap<string, Route['authentication']>

  /** `routes` are all that the gateway serves. */
  constructor(routes: readonly Pick<Route, 'method' | 'otherMethods' | 'path' | 'authentication'>[]) {
    this.#judges = new Map(
      routes.flatMap(({ method, otherMethods = [], path, authentication }) =>
        [method, ...otherMethods].map((each) => [`${each} ${path}`, authentication] as const),
      ),
    )
  }

  /** Returns the caller of a request. */
  of({ headers, address }: CalledBy): Caller {
    const text = credentialOf(headers)
    const network = `network ${sourceNetwork(address)}`
    if (text === undefined) return { name: network }
    const credential = hash('sha256', text, 'base64')
    return { name: this.#known.get(credential) ?? network, credential }
  }

  /** Learns from the answer of a route whether the credential of a request is genuine. */
  learn(caller: Caller, routeKey: string, { headers }: Pick<CalledBy, 'headers'>, status: number): void {
    const { credential } = caller
    const judge = this.#judges.get(routeKey) ?? 'none'
    if (credential === undefined || judge === 'none') return
    if (status === 401) this.#known.delete(credential)
    if (status >= 400) return
    const name = judge === 'engine' ? 'engine' : ownerOf(headers)
    this.#known.delete(credential)
    if (name !== undefined) this.#known.set(credential, name)
    const [oldest] = this.#known.keys()
    if (this.#known.size > maxRemembered && oldest !== undefined) this.#known.delete(oldest)
  }
}

function credentialOf(headers: IncomingHttpHeaders): string | undefined {
  const { 'x-access-token': token, authorization } = headers
  return typeof token === 'string' ? token : authorization
}

/** The domain that a genuine token belongs to, or root. */
function ownerOf({ 'x-access-token': token }: IncomingHttpHeaders): string | undefined {
  const claims = readTokenClaims(typeof token === 'string' ? token : '')
  if (claims === undefined) return undefined
  return claims.domain === '' ? 'root' : `domain ${claims.domain}`
}
