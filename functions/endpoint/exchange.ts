import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Log } from '../../adapters/log/logger.ts'
import type { Caller } from '../../core/auth/token.ts'
import type { RateVerdict } from '../../core/limits/allowance.ts'
import { requestIdOf } from './answer.ts'
import type { EndpointTools } from './tools.ts'

/** One request on its way through an endpoint: all that is remembered of it, gone with its answer. */
export interface Exchange {
  readonly event: APIGatewayProxyEventV2
  readonly requestId: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Writes beside the request, awaited before the answer leaves; none of them rejects. */
  readonly beside: Promise<void>[]
  log: Log
  caller: Caller | undefined
  domain: string | null
  /** When that domain was made, epoch milliseconds. */
  domainCreatedAt: number | null
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
    caller: undefined,
    domain: null,
    domainCreatedAt: null,
    actor: undefined,
    isNewSource: Promise.resolve(false),
    fields: [],
    leave: undefined,
    rate: undefined,
    entered: false,
  }
}
