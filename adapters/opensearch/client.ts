import { searchDomains } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import { AnswerTooLong } from '../aws/exchange.ts'
import { signedRequest } from '../aws/signed-request.ts'
import { type AdapterContext, required } from '../context.ts'
import { TimeLimitPassed } from '../time-limit.ts'

/** A request to the search store. */
export interface OpenSearchRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** Begins with a slash; what comes from outside stands in percent form. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** JSON, or lines of JSON where `isLines`. */
  readonly body?: string
  readonly isLines?: boolean
  readonly timeoutMs: number
  /** Bytes of the answer that are taken; 4 MiB where absent. */
  readonly maxAnswerBytes?: number
}

/** What the search store answered: its status and its JSON. */
export interface OpenSearchAnswer {
  readonly status: number
  readonly body: unknown
}

/** Statuses of a store that cannot serve now: too many requests, and those of a gateway before it or a node in it. */
const UNAVAILABLE = new Set([429, 500, 502, 503])
/** What a store says that could serve, but not this: more than 65 535 buckets (503), more than 1024 clauses (500). */
const TOO_MUCH_ASKED = /"too_many_(?:buckets_exception|nested_clauses|clauses)"/
/** Statuses of work that took too long. */
const TIMED_OUT = new Set([408, 504])

/**
 * Sends one signed request to the search store and answers what it said, whatever its status, but for the statuses of
 * an outage: these are `search_unavailable`, as is no answer or one that is no JSON. Without a whole answer in time it is
 * `search_timeout`, above `maxAnswerBytes` `payload_too_large`.
 */
export async function askOpenSearch(
  context: Pick<AdapterContext, 'env' | 'clock'>,
  request: OpenSearchRequest,
): Promise<OpenSearchAnswer> {
  const { isLines = false, body = '', ...rest } = request
  const answer = await attempt(() =>
    signedRequest(context, {
      ...rest,
      service: 'es',
      endpoint: required(context, searchDomains.cdr.variable),
      headers: body === '' ? {} : { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' },
      body,
    }),
  )
  if (TIMED_OUT.has(answer.status)) throw searchTimeout(new Error(`answered ${answer.status}`))
  if (UNAVAILABLE.has(answer.status)) {
    if (TOO_MUCH_ASKED.test(answer.body)) throw queryRefused(new Error(told(answer)))
    throw searchUnavailable(new Error(told(answer)))
  }
  return { status: answer.status, body: parsed(answer.body) }
}

/** Characters of an answer that the cause of an error keeps. */
const TOLD_CHARACTERS = 300

function told({ status, body }: { readonly status: number; readonly body: string }): string {
  return `answered ${status}: ${body.slice(0, TOLD_CHARACTERS)}`
}

/** The outage of the search store. */
export function searchUnavailable(cause: unknown): DomainError {
  return new DomainError('search_unavailable', 'the search store does not answer, try again', {
    retryAfterSeconds: 2,
    cause,
  })
}

/** A search that takes too long. */
function searchTimeout(cause: unknown): DomainError {
  return new DomainError('search_timeout', 'the search takes too long: narrow its time range or its query', { cause })
}

/** The error for a refusal: what the store says of a request that is not to its mind. */
export function searchRefused(answer: OpenSearchAnswer): DomainError {
  const said = JSON.stringify(answer.body)?.slice(0, TOLD_CHARACTERS)
  const cause = new Error(`the search store answered ${answer.status}: ${said}`)
  if (answer.status === 400) return queryRefused(cause)
  return new DomainError('internal_error', 'the search store refused the request', { cause })
}

function queryRefused(cause: unknown): DomainError {
  return new DomainError('query_refused', 'the search store cannot run this query: make it simpler', { cause })
}

/** Runs an exchange; its errors become those of the port. One that the store cannot have seen is sent once more. */
async function attempt<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!isReset(error)) throw translated(error)
  }
  try {
    return await send()
  } catch (error) {
    throw translated(error)
  }
}

/** A kept connection may end at the very moment in which it is used again. What is sent here may be sent twice. */
function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

function translated(error: unknown): DomainError {
  if (error instanceof DomainError) return error
  if (error instanceof TimeLimitPassed) return new DomainError('deadline_exceeded', error.message, { cause: error })
  if (error instanceof AnswerTooLong) {
    return new DomainError(
      'payload_too_large',
      'the answer is too large: ask for fewer rows or columns, or less time',
      {
        cause: error,
      },
    )
  }
  const name = error instanceof Error ? error.name : ''
  return name === 'AbortError' || name === 'TimeoutError' ? searchTimeout(error) : searchUnavailable(error)
}

function parsed(body: string): unknown {
  if (body === '') return undefined
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw searchUnavailable(cause)
  }
}
