import type { SearchPlan, SortKey } from '../../core/cdr/search-plan.ts'
import { aggregationsDsl } from './aggregation-dsl.ts'
import { type Dsl, clauseDsl } from './clause-dsl.ts'
import { fieldKind } from './fields.ts'
import { innerFields } from './stored-cdr.ts'

/** Up to which the number of hits is exact. */
const EXACT_HITS = 10_000

/** The body of a search: the plan's query inside the filter of what its caller may see, which nothing in it can lift. */
export function searchBody(plan: SearchPlan, timeoutMs: number): Dsl {
  return {
    query: {
      bool: {
        filter: [
          ...(plan.domain === undefined ? [] : [{ term: { domain_name: { value: plan.domain } } }]),
          ...(plan.presenceId === undefined ? [] : [{ term: { presence_id: { value: plan.presenceId } } }]),
          { terms: { leg: plan.legs } },
          { range: { created_time: { gte: plan.from, lte: plan.to, format: 'epoch_millis' } } },
          clauseDsl(plan.query),
        ],
      },
    },
    size: plan.limit,
    ...(plan.skip > 0 && { from: plan.skip }),
    sort: plan.sort.map(sortDsl),
    ...(plan.after && { search_after: plan.after.map((value, index) => value ?? absent(plan.sort[index])) }),
    ...(plan.aggregations && { aggs: aggregationsDsl(plan.aggregations) }),
    _source: plan.limit === 0 ? false : sourceOf(plan),
    track_total_hits: EXACT_HITS,
    timeout: `${timeoutMs}ms`,
  }
}

/** What a CDR cannot do without. */
const needed = ['uuid', 'domain_name', 'leg', 'created_time']

/** Of a hit, what its columns and its sort values are read from; without columns the whole CDR. */
function sourceOf({ columns, sort, presenceId }: SearchPlan): Dsl {
  if (columns === undefined) return { excludes: innerFields }
  const named = [...needed, ...columns, ...sort.map(({ field }) => field), ...(presenceId ? ['presence_id'] : [])]
  // Whole variables and recordings: a name behind the dot may have dots itself, and a recording is nothing in parts.
  return { includes: [...new Set(named.map((field) => field.replace(/\..*$/s, '')))] }
}

/**
 * The numbers that stand for an absent one, behind all others in their order: 2³¹ seconds are 68 years. What the
 * search store takes for itself is a number that JSON does not keep.
 */
const ABSENT = { asc: 2_147_483_647, desc: -2_147_483_648 } as const

function sortDsl({ field, order }: SortKey): Dsl {
  const kind = fieldKind(field)
  const isNumber = kind === 'long' || kind === 'double'
  return { [field]: { order, missing: isNumber ? ABSENT[order] : '_last', unmapped_type: kind } }
}

function absent(key: SortKey | undefined): number | null {
  if (key === undefined) return null
  const kind = fieldKind(key.field)
  return kind === 'long' || kind === 'double' ? ABSENT[key.order] : null
}
