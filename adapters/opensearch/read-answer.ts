import * as z from 'zod/mini'
import type { Cdr } from '../../core/cdr/cdr.ts'
import { valuesOf } from '../../core/cdr/field-values.ts'
import type { SearchResponse, SearchPlan, SortKey } from '../../core/cdr/search-plan.ts'
import { searchUnavailable } from './client.ts'
import { readAggregations } from './read-aggregations.ts'
import { cdrSchema } from './read-cdr.ts'

const count = z.number()

const sortValue = z.union([z.string(), z.number(), z.boolean(), z.null()])

const answerSchema = z.object({
  took: count,
  timed_out: z.boolean(),
  _shards: z.object({
    total: count,
    successful: count,
    skipped: z._default(count, 0),
    failed: count,
  }),
  hits: z.object({
    total: z.object({ value: count, relation: z.enum(['eq', 'gte']) }),
    hits: z.array(z.object({ _source: cdrSchema, sort: z.array(sortValue) })),
  }),
  aggregations: z.optional(z.unknown()),
})

/**
 * Returns the result of a search. An answer in another form, or with hits of another domain than the plan's, is an
 * outage.
 */
export function readSearchAnswer(plan: SearchPlan, body: unknown): SearchResponse {
  const parsed = z.safeParse(answerSchema, body)
  if (!parsed.success) throw searchUnavailable(new Error('a search was answered in another form', parsed.error))
  const { took, timed_out, _shards, hits, aggregations } = parsed.data
  const found = hits.hits.map(({ _source: cdr, sort }) => ({ cdr, sort: sortValues(plan.sort, cdr, sort) }))
  if (found.some(({ cdr, sort }) => !isOfPlan(plan, cdr) || sort.length !== plan.sort.length)) {
    throw searchUnavailable(new Error('a search was answered with what was not asked for'))
  }
  return {
    tookMs: took,
    timedOut: timed_out,
    shards: _shards,
    total: hits.total.value,
    isLeast: hits.total.relation === 'gte',
    hits: found,
    ...(plan.aggregations && { aggregations: readAggregations(plan.aggregations, aggregations) }),
  }
}

/** The guard after the filter: even after a fault on the way, no record of another tenant leaves here. */
function isOfPlan({ domain, presenceId }: SearchPlan, cdr: Cdr): boolean {
  return (
    (domain === undefined || cdr.domain_name === domain) && (presenceId === undefined || cdr.presence_id === presenceId)
  )
}

function sortValues<T>(keys: readonly SortKey[], cdr: Cdr, values: readonly T[]): (T | null)[] {
  return values.map((value, index) => (valuesOf(cdr, keys[index]?.field ?? '').length === 0 ? null : value))
}
