import type { CdrStore } from '../../core/cdr/cdr-store.ts'
import type { SearchPlan } from '../../core/cdr/search-plan.ts'
import type { AdapterContext } from '../context.ts'
import { askOpenSearch, searchRefused } from './client.ts'
import { indexParts, replaceRecordings } from './index-parts.ts'
import { indicesOf } from './indices.ts'
import { readSearchAnswer } from './read-answer.ts'
import { searchBody } from './search-body.ts'

/** The most bytes of a search's answer that are read: a caller could not receive more. */
const MAX_ANSWER_BYTES = 6 * 1024 * 1024

/** The part of a search's time for the network; the store has the rest, and answers what it has by then. */
const WAY_MS = 500

/** A missing index counts as empty. */
const lenient = { ignore_unavailable: true, allow_no_indices: true }

/** CDRs in OpenSearch, in one index for each kind of leg and month. */
export function openSearchCdrStore(context: AdapterContext): CdrStore {
  return {
    index: (parts) => indexParts(context, parts),
    setRecordings: (place, recordings) => replaceRecordings(context, place, recordings),
    search: (plan, limitMs) => search(context, plan, limitMs),
  }
}

async function search(context: AdapterContext, plan: SearchPlan, limitMs: number) {
  const limits = { timeoutMs: limitMs, maxAnswerBytes: MAX_ANSWER_BYTES }
  const answer = await askOpenSearch(context, limits, (client, options) =>
    client.search(
      {
        ...lenient,
        index: indicesOf(plan.legs, plan.from, plan.to),
        ...(plan.domain !== undefined && { routing: plan.domain }),
        allow_partial_search_results: true,
        body: searchBody(plan, Math.max(1, limitMs - WAY_MS)),
      },
      options,
    ),
  )
  if (answer.status !== 200) throw searchRefused(answer)
  return readSearchAnswer(plan, answer.body)
}
