import * as z from 'zod/mini'
import type { CdrStore } from '../../core/cdr/cdr-store.ts'
import type { SearchPlan } from '../../core/cdr/search-plan.ts'
import type { AdapterContext } from '../context.ts'
import { type OpenSearchRequest, askOpenSearch, searchRefused, searchUnavailable } from './client.ts'
import { indexParts, replaceRecordings } from './index-parts.ts'
import { everyIndex, indicesOf } from './indices.ts'
import { readSearchAnswer } from './read-answer.ts'
import { searchBody } from './search-body.ts'

/** The largest answer of a search that is read: what a caller could still be given. */
const MAX_ANSWER_BYTES = 6 * 1024 * 1024

/** What the way there and back may take of a search's time; the store has the rest, and answers what it has by then. */
const WAY_MS = 500

/** CDRs that one request removes, and how long it may take. */
const REMOVED_AT_ONCE = 10_000
const REMOVAL_TIMEOUT_MS = 30_000

/** An index that is not there holds nothing. */
const lenient = { ignore_unavailable: 'true', allow_no_indices: 'true' }

/** CDRs in OpenSearch, in one index for each kind of leg and month. */
export function openSearchCdrStore(context: AdapterContext): CdrStore {
  return {
    index: (parts) => indexParts(context, parts),
    setRecordings: (place, recordings) => replaceRecordings(context, place, recordings),
    search: (plan, limitMs) => search(context, plan, limitMs),
    removeDomain: (domain, until) => removeDomain(context, domain, until),
  }
}

async function search(context: AdapterContext, plan: SearchPlan, limitMs: number) {
  const answer = await askOpenSearch(context, {
    method: 'POST',
    path: `/${indicesOf(plan.legs, plan.from, plan.to)}/_search`,
    query: {
      ...lenient,
      ...(plan.domain !== undefined && { routing: plan.domain }),
      allow_partial_search_results: 'true',
    },
    body: JSON.stringify(searchBody(plan, Math.max(1, limitMs - WAY_MS))),
    timeoutMs: limitMs,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  })
  if (answer.status !== 200) throw searchRefused(answer)
  return readSearchAnswer(plan, answer.body)
}

const removalAnswer = z.object({ total: z.number(), deleted: z.number() })

async function removeDomain(context: AdapterContext, domain: string, until: number): Promise<boolean> {
  const query = { ...lenient, routing: domain, conflicts: 'proceed', refresh: 'true' }
  const body = JSON.stringify({ query: { bool: { filter: [{ term: { domain_name: { value: domain } } }] } } })
  // What was written a moment ago is not seen by the first request.
  await call(context, { path: `/${everyIndex}/_refresh`, query: lenient, timeoutMs: REMOVAL_TIMEOUT_MS })
  for (let now = context.clock.now(); now < until; now = context.clock.now()) {
    const path = `/${everyIndex}/_delete_by_query`
    const timeoutMs = Math.min(REMOVAL_TIMEOUT_MS, until - now)
    const max_docs = String(REMOVED_AT_ONCE)
    const answer = await call(context, { path, query: { ...query, max_docs }, body, timeoutMs })
    const removed = z.safeParse(removalAnswer, answer)
    if (!removed.success) throw searchUnavailable(new Error('a removal was answered in another form', removed.error))
    if (removed.data.total === 0) return true
  }
  return false
}

async function call(context: AdapterContext, request: Omit<OpenSearchRequest, 'method'>): Promise<unknown> {
  const answer = await askOpenSearch(context, { ...request, method: 'POST' })
  if (answer.status !== 200) throw searchRefused(answer)
  return answer.body
}
