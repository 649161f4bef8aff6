import * as z from 'zod/mini'
import type { CdrStore, RemovalPlan } from '../../core/cdr/cdr-store.ts'
import type { SearchPlan } from '../../core/cdr/search-plan.ts'
import type { AdapterContext } from '../context.ts'
import { askOpenSearch, searchRefused, searchUnavailable } from './client.ts'
import { indexParts, replaceRecordings } from './index-parts.ts'
import { indicesOf } from './indices.ts'
import { readSearchAnswer } from './read-answer.ts'
import { queryDsl, searchBody } from './search-body.ts'

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
    remove: (plan, most) => remove(context, plan, most),
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

const removal = z.object({ deleted: z.number(), version_conflicts: z.number(), failures: z.array(z.unknown()) })

/** A removal writes to the disk for each document: 10 000 take seconds. */
const REMOVAL_MS = 60_000

const DAY_MS = 86_400_000

/** A CDR that is written in the same moment is a conflict, which passes: the caller repeats. */
async function remove(context: AdapterContext, plan: RemovalPlan, most: number): Promise<number> {
  const index = indicesOf(plan.legs, plan.from, plan.to)
  // Only what was refreshed is found, and so removed. Nearly nothing is written to what ended a day ago.
  if (plan.to > context.clock.now() - DAY_MS) {
    const refreshed = await askOpenSearch(context, { timeoutMs: REMOVAL_MS }, (client, options) =>
      client.indices.refresh({ ...lenient, index }, options),
    )
    if (refreshed.status !== 200) throw searchRefused(refreshed)
  }
  const answer = await askOpenSearch(context, { timeoutMs: REMOVAL_MS }, (client, options) =>
    client.deleteByQuery(
      {
        ...lenient,
        index,
        ...(plan.domain !== undefined && { routing: plan.domain }),
        max_docs: most,
        conflicts: 'proceed',
        refresh: true,
        body: { query: queryDsl(plan) },
      },
      options,
    ),
  )
  if (answer.status !== 200) throw searchRefused(answer)
  const { deleted, version_conflicts: conflicts, failures } = z.parse(removal, answer.body)
  if (conflicts + failures.length > 0) throw searchUnavailable(new Error(`${conflicts} CDRs changed while they went`))
  return deleted
}
