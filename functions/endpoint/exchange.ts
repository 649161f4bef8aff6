import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Log } from '../../adapters/log/logger.ts'
import type { AccessScope } from '../../core/access/acl.ts'
import type { Caller } from '../../core/access/token.ts'
import type { Precondition } from '../../core/requests/precondition.ts'
import type { Allowance, RateVerdict } from '../../core/requests/rate-limit.ts'
import type { Randomness } from '../../core/time.ts'
import { type HttpResponse, requestIdOf } from './response.ts'
import type { ListCursors } from './list-cursors.ts'
import type { RawRequest } from './read-request.ts'
import type { EndpointDeps } from './endpoint-parts.ts'

/** The counts of a request that arrived in time, and the allowances of those that did not. */
export interface Counts {
  readonly verdicts: readonly RateVerdict[]
  readonly uncounted: readonly Allowance[]
  readonly knownDomain: string | undefined
}

/** The fields of a request, each part as accepted by its schema. */
export interface CheckedFields {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly precondition: Precondition
  readonly cursors: ListCursors
}

/** One request on its way through an endpoint: its whole state, dropped after the answer. */
export interface Exchange {
  readonly event: APIGatewayProxyEventV2
  readonly requestId: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Writes in the background of the request, awaited before the answer leaves; none of them rejects. */
  readonly sideWrites: Promise<void>[]
  log: Log
  /** The read of the presented token's credential, with the error that refused it, if any. Never rejects. */
  credential: Promise<{ readonly error?: unknown }>
  /** Whether the token has reached its limit of concurrent requests. Never rejects. */
  isFull: Promise<boolean>
  counts: Counts
  caller: Caller | undefined
  /** The parts of the request as the caller wrote them; set once they are well-formed. */
  raw: RawRequest | undefined
  domain: string | null
  /** The time at which that domain was created, epoch milliseconds. */
  domainCreatedAt: number | null
  /** The scope that the caller's role grants; set once access is granted. */
  scope: AccessScope | undefined
  checked: CheckedFields | undefined
  /** Under an `Idempotency-Key`, repeated runs of the request draw the same values. */
  random: Randomness
  /** Stores the answer under the request's `Idempotency-Key`, or releases the key. Never rejects. */
  keep: ((answer: HttpResponse | undefined) => Promise<void>) | undefined
  actor: { readonly username: string; readonly domain: string } | undefined
  /** A text for the line of the audit trail. */
  auditNote: string | undefined
  /** Whether a domain token is used from a network for the first time; never rejects. */
  isNewSource: Promise<boolean>
  fields: readonly string[]
  /** Releases the request's slot among the concurrent requests of its token; never rejects. */
  leave: (() => Promise<void>) | undefined
  rate: RateVerdict | undefined
  entered: boolean
}

/** Returns the state of a request that has just arrived. */
export function beginExchange(event: APIGatewayProxyEventV2, { clock, random, log }: EndpointDeps): Exchange {
  const requestId = requestIdOf(event.headers, () => random.uuid())
  return {
    event,
    requestId,
    startedAt: clock.now(),
    sideWrites: [],
    log: log.with({ requestId }),
    credential: Promise.resolve({}),
    isFull: Promise.resolve(false),
    counts: { verdicts: [], uncounted: [], knownDomain: undefined },
    caller: undefined,
    raw: undefined,
    domain: null,
    domainCreatedAt: null,
    scope: undefined,
    checked: undefined,
    random,
    keep: undefined,
    actor: undefined,
    auditNote: undefined,
    isNewSource: Promise.resolve(false),
    fields: [],
    leave: undefined,
    rate: undefined,
    entered: false,
  }
}
