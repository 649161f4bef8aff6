import type { Cdr } from '../../../core/cdr/cdr.ts'
import { valuesOf } from '../../../core/cdr/field-values.ts'
import type { SearchHit, SearchPlan, SortKey } from '../../../core/cdr/search-plan.ts'
import { compareValues } from './cdr-matches.ts'

type SortValue = SearchHit['sort'][number]

/** The page of found CDRs that a plan asks for, in its order. CDRs without a value come last, in either order. */
export function pageOf(found: readonly Cdr[], { sort, after, skip, limit }: SearchPlan): readonly SearchHit[] {
  const hits = found.map((cdr) => ({ cdr, sort: sort.map((key) => sortValue(cdr, key)) }))
  const ordered = hits.sort((a, b) => compareSorts(a.sort, b.sort, sort))
  const rest = after === undefined ? ordered : ordered.filter((hit) => compareSorts(hit.sort, after, sort) > 0)
  return rest.slice(skip, skip + limit)
}

/** The smallest of several values counts where they rise, the greatest where they fall. */
function sortValue(cdr: Cdr, { field, order }: SortKey): SortValue {
  const values = [...valuesOf(cdr, field)].sort(compareValues)
  return values.at(order === 'asc' ? 0 : -1) ?? null
}

function compareSorts(a: SearchHit['sort'], b: SearchHit['sort'], keys: readonly SortKey[]): number {
  for (const [index, { order }] of keys.entries()) {
    const compared = compareSortValues(a[index] ?? null, b[index] ?? null, order)
    if (compared !== 0) return compared
  }
  return 0
}

function compareSortValues(a: SortValue, b: SortValue, order: 'asc' | 'desc'): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const compared = compareValues(comparable(a), comparable(b))
  return order === 'asc' ? compared : -compared
}

function comparable(value: string | number | boolean): string | number {
  return typeof value === 'boolean' ? Number(value) : value
}
