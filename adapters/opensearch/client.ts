import { Readable } from 'node:stream'
import type { ApiResponse, Client } from '@opensearch-project/opensearch'
import { DomainError } from '../../core/errors.ts'
import { openSearchClient } from '../aws/opensearch-client.ts'
import type { AdapterContext } from '../context.ts'
import { TimeLimitPassed, checkTimeLimit, timeLimitSignal } from '../time-limit.ts'
import { learnSigningTime, signingOffset, signingTime } from './signing-time.ts'

/** The limits of time and size of a request. */
export interface OpenSearchLimits {
  readonly timeoutMs: number
  /** Bytes of the answer that are taken; 4 MiB where absent. */
  readonly maxAnswerBytes?: number
}

interface RequestOptions {
  readonly asStream: true
  readonly requestTimeout: number
  readonly headers: { readonly 'x-amz-date'?: string }
}

interface SentRequest extends Promise<ApiResponse> {
  abort: () => void
}

/** Sends a request through the client. The options belong to the request. */
export type SendToOpenSearch = (client: Client, options: RequestOptions) => SentRequest

/** The search store's answer: its status and its JSON. */
export interface OpenSearchResponse {
  readonly status: number
  readonly body: unknown
}

class ResponseTooLong extends Error {
  override readonly name = 'ResponseTooLong'
}

/** Answers of administration and of writes are small. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Statuses of a store that cannot serve now: too many requests, and those of a gateway before it or a node in it. */
const UNAVAILABLE = new Set([429, 500, 502, 503])
/** A healthy store's answer to an excessive request: more than 65 535 buckets (503), more than 1024 clauses (500). */
const TOO_MUCH_ASKED = /"too_many_(?:buckets_exception|nested_clauses|clauses)"/
const TIMED_OUT = new Set([408, 504])

/**
 * Sends one request to the search store and returns its answer with any status except those of an outage. An outage, a
 * missing answer and one that is not JSON are `search_unavailable`. An incomplete answer at the time limit is
 * `search_timeout`, one above `maxAnswerBytes` `payload_too_large`.
 */
export async function askOpenSearch(
  context: Pick<AdapterContext, 'env'>,
  limits: OpenSearchLimits,
  send: SendToOpenSearch,
): Promise<OpenSearchResponse> {
  let answer: TextResponse
  try {
    answer = await exchange(context, limits, send)
  } catch (error) {
    throw translated(error)
  }
  if (TIMED_OUT.has(answer.status)) throw searchTimeout(new Error(`answered ${answer.status}`))
  if (UNAVAILABLE.has(answer.status)) {
    if (TOO_MUCH_ASKED.test(answer.text)) throw queryRefused(new Error(summaryOf(answer)))
    throw searchUnavailable(new Error(summaryOf(answer)))
  }
  return { status: answer.status, body: parsed(answer.text) }
}

interface TextResponse {
  readonly status: number
  readonly text: string
  readonly date: string | undefined
}

/** Sends a request, and once more with the time of the store if the signature was refused for a wrong clock. */
async function exchange(
  context: Pick<AdapterContext, 'env'>,
  limits: OpenSearchLimits,
  send: SendToOpenSearch,
): Promise<TextResponse> {
  const client = openSearchClient(context)
  const signedOffset = signingOffset(client)
  const answer = await sendOnce(client, limits, send)
  return answer.status === 403 && learnSigningTime(client, answer.date, signedOffset)
    ? sendOnce(client, limits, send)
    : answer
}

/**
 * Sends a request and reads its answer within the limits. The client answers streams, since it would read an answer of
 * any length, and would refuse one with a variable called `__proto__`.
 */
async function sendOnce(
  client: Client,
  { timeoutMs, maxAnswerBytes = MAX_ANSWER_BYTES }: OpenSearchLimits,
  send: SendToOpenSearch,
): Promise<TextResponse> {
  checkTimeLimit()
  const ofWork = timeLimitSignal()
  const ending = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(ofWork === undefined ? [] : [ofWork])])
  const sent = send(client, { asStream: true, requestTimeout: timeoutMs, headers: signingTime(client) })
  const end = () => {
    sent.abort()
  }
  ending.addEventListener('abort', end, { once: true })
  if (ending.aborted) end()
  try {
    const { statusCode, body, headers } = await sent
    return { status: statusCode ?? 0, text: await textOf(body, maxAnswerBytes), date: headers?.['date'] }
  } catch (error) {
    if (ofWork?.aborted === true) throw new TimeLimitPassed('the time of the request is over')
    throw ending.aborted ? ending.reason : error
  } finally {
    ending.removeEventListener('abort', end)
  }
}

async function textOf(body: unknown, most: number): Promise<string> {
  if (!(body instanceof Readable)) throw new TypeError('the client answered no stream')
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of body) {
    if (!Buffer.isBuffer(piece)) continue
    length += piece.length
    // Leaving the loop ends the connection.
    if (length > most) throw new ResponseTooLong(`answer of more than ${most} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

const TOLD_CHARACTERS = 300

function summaryOf({ status, text }: TextResponse): string {
  return `answered ${status}: ${text.slice(0, TOLD_CHARACTERS)}`
}

/** Returns the outage of the search store. */
export function searchUnavailable(cause: unknown): DomainError {
  return new DomainError('search_unavailable', 'the search store does not answer, try again', {
    retryAfterSeconds: 2,
    cause,
  })
}

function searchTimeout(cause: unknown): DomainError {
  return new DomainError('search_timeout', 'the search takes too long: narrow its time range or its query', { cause })
}

/** Maps a rejected request to a `DomainError`. */
export function searchRefused(answer: OpenSearchResponse): DomainError {
  const said = JSON.stringify(answer.body)?.slice(0, TOLD_CHARACTERS)
  const cause = new Error(`the search store answered ${answer.status}: ${said}`)
  if (answer.status === 400) return queryRefused(cause)
  return new DomainError('internal_error', 'the search store refused the request', { cause })
}

function queryRefused(cause: unknown): DomainError {
  return new DomainError('query_refused', 'the search store cannot run this query: make it simpler', { cause })
}

function translated(error: unknown): DomainError {
  if (error instanceof DomainError) return error
  if (error instanceof TimeLimitPassed) return new DomainError('deadline_exceeded', error.message, { cause: error })
  if (error instanceof ResponseTooLong) {
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
