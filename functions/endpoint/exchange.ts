import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Log } from '../../adapters/log/logger.ts'
import type { AccessScope } from '../../core/access/acl.ts'
import type { Caller } from '../../core/auth/token.ts'
import type { Precondition } from '../../core/concurrency/precondition.ts'
import type { Allowance, RateVerdict } from '../../core/limits/allowance.ts'
import type { Randomness } from '../../core/ports.ts'
import { type Answer, requestIdOf } from './answer.ts'
import type { ListCursors } from './list-cursors.ts'
import type { RawRequest } from './read-request.ts'
import type { EndpointTools } from './tools.ts'

/** The counts of a request that were known in time, and the allowances of those that were not. */
export interface Counts {
  readonly verdicts: readonly RateVerdict[]
  readonly uncounted: readonly Allowance[]
  /** The domain that the presented token is known to be of, whose allowances are among the counts. */
  readonly knownDomain: string | undefined
}

/** What a request asks for, each part as its schema let it through. */
export interface CheckedFields {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly precondition: Precondition
  readonly cursors: ListCursors
}

/** One request on its way through an endpoint: all that is remembered of it, gone with its answer. */
export interface Exchange {
  readonly event: APIGatewayProxyEventV2
  readonly requestId: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Writes beside the request, awaited before the answer leaves; none of them rejects. */
  readonly beside: Promise<void>[]
  log: Log
  /** The read of the presented token's credential: what refused it, if anything did. Never rejects. */
  credential: Promise<{ readonly error?: unknown }>
  /** Whether the token has as many requests under way as it may have. Never rejects. */
  isFull: Promise<boolean>
  counts: Counts
  caller: Caller | undefined
  /** The parts of the request as the caller wrote them; set once they are well-formed. */
  raw: RawRequest | undefined
  domain: string | null
  /** When that domain was made, epoch milliseconds. */
  domainCreatedAt: number | null
  /** What the caller's role grants; set once it grants anything. */
  scope: AccessScope | undefined
  /** Set once every field was checked. */
  checked: CheckedFields | undefined
  /** Under an `Idempotency-Key`, the same values each time that the request is run. */
  random: Randomness
  /** Keeps the answer under the request's `Idempotency-Key`, or releases the key. Never rejects. */
  keep: ((answer: Answer | undefined) => Promise<void>) | undefined
  /** Who acts, where no credential tells. */
  actor: { readonly username: string; readonly domain: string } | undefined
  /** Whether the token of a domain is used from a network for the first time; never rejects. */
  isNewSource: Promise<boolean>
  /** Names of the fields that the request sets. */
  fields: readonly string[]
  /** Gives back the place among the requests of its token that may be under way at once; never rejects. */
  leave: (() => Promise<void>) | undefined
  /** The tightest of the rates that the request was counted by. */
  rate: RateVerdict | undefined
  /** Whether every check was passed and the use case was called. */
  entered: boolean
}

/** The state of a request that has just come in. */
export function beginExchange(event: APIGatewayProxyEventV2, { clock, random, log }: EndpointTools): Exchange {
  const requestId = requestIdOf(event.headers, () => random.uuid())
  return {
    event,
    requestId,
    startedAt: clock.now(),
    beside: [],
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
    isNewSource: Promise.resolve(false),
    fields: [],
    leave: undefined,
    rate: undefined,
    entered: false,
  }
}
