import { DomainError } from '../../errors.ts'
import { handedOverBytes, mostHandedOver } from '../../requests/json-bytes.ts'
import type { SearchResponse } from '../search-plan.ts'
import { type PresentedHit, presentHit } from './present-hit.ts'
import type { ReadSearch } from './search-request.ts'

/** The answer to a search, in the form of the published API. */
export interface PresentedResponse {
  readonly took: number
  /** Whether not everything was seen; the header `X-Partial` says so, too. */
  readonly timed_out: boolean
  readonly _shards: SearchResponse['shards']
  readonly hits: { readonly total: number; readonly max_score: null; readonly hits: readonly PresentedHit[] }
  readonly aggregations?: Readonly<Record<string, unknown>>
  readonly scrollId?: string
}

/** A search's answer and the headers that go with it. */
export interface SearchReply {
  readonly body: PresentedResponse
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Presents an answer. An answer that ended before it had seen everything is `search_timeout`, one above 6 MB,
 * as its function hands it over, is `payload_too_large`; if a part of the store failed, the answer is marked as
 * partial.
 */
export function presentAnswer(answer: SearchResponse, read: ReadSearch, scrollId: string | undefined): SearchReply {
  if (answer.timedOut)
    throw new DomainError('search_timeout', 'the search took too long: narrow it, or shorten its time')
  const isPartial = answer.shards.failed > 0
  const body: PresentedResponse = {
    took: answer.tookMs,
    timed_out: isPartial,
    _shards: answer.shards,
    hits: {
      total: answer.total,
      max_score: null,
      hits: answer.hits.map((hit) => presentHit(hit, read.columns)),
    },
    ...(answer.aggregations !== undefined && { aggregations: answer.aggregations }),
    ...(scrollId !== undefined && { scrollId }),
  }
  checkSize(body)
  return { body, headers: headersOf(answer, read.isDefaultRange, isPartial) }
}

function headersOf(
  answer: SearchResponse,
  isDefaultRange: boolean,
  isPartial: boolean,
): Readonly<Record<string, string>> {
  return {
    ...(isDefaultRange && { 'X-Default-Range': 'now-31d' }),
    ...(answer.isLeast && { 'X-Total-Relation': 'gte' }),
    ...(isPartial && { 'X-Partial': 'true' }),
  }
}

/** So few hits, even with all variables of their CDRs, never make an answer too large. */
const fewHits = 10

function checkSize(body: PresentedResponse): void {
  if (body.hits.hits.length <= fewHits && body.aggregations === undefined) return
  if (handedOverBytes(body) <= mostHandedOver) return
  throw new DomainError('payload_too_large', 'the answer has more than 6 MB: ask for fewer columns, hits or buckets')
}
