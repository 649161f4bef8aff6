import type { RemovalPlan } from '../../core/cdr/cdr-store.ts'
import type { SearchPlan, SortKey } from '../../core/cdr/search-plan.ts'
import { aggregationsDsl } from './aggregation-dsl.ts'
import { type Dsl, clauseDsl } from './clause-dsl.ts'
import { fieldKind } from './fields.ts'
import { innerFields } from './stored-cdr.ts'

const EXACT_HITS = 10_000

/** Returns the query of a plan inside the filter of the caller's scope, which no query can lift. */
export function queryDsl(plan: RemovalPlan & Pick<SearchPlan, 'presenceId'>): Dsl {
  return {
    bool: {
      filter: [
        ...(plan.domain === undefined ? [] : [{ term: { domain_name: { value: plan.domain } } }]),
        ...(plan.presenceId === undefined ? [] : [{ term: { presence_id: { value: plan.presenceId } } }]),
        { terms: { leg: plan.legs } },
        { range: { created_time: { gte: plan.from, lte: plan.to, format: 'epoch_millis' } } },
        clauseDsl(plan.query),
      ],
    },
  }
}

/** Returns the body of a search: see {@link queryDsl}. */
export function searchBody(plan: SearchPlan, timeoutMs: number): Dsl {
  return {
    query: queryDsl(plan),
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

const needed = ['uuid', 'domain_name', 'leg', 'created_time']

/** Returns the parts of a hit from which its columns and sort values are read; without columns the whole CDR. */
function sourceOf({ columns, sort, presenceId }: SearchPlan): Dsl {
  if (columns === undefined) return { excludes: innerFields }
  const named = [...needed, ...columns, ...sort.map(({ field }) => field), ...(presenceId ? ['presence_id'] : [])]
  // Variables and recordings are read as a whole: a name after the dot may contain dots itself, and a recording has no
  // separate parts.
  return { includes: [...new Set(named.map((field) => field.replace(/\..*$/s, '')))] }
}

/**
 * The numbers that represent an absent value, sorted after all others: 2³¹ seconds are 68 years. The search store's own
 * choice is a number that JSON does not represent exactly.
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
