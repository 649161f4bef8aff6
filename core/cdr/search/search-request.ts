import type { Leg } from '../cdr.ts'
import { DomainError } from '../../errors.ts'
import { invalidField } from '../../errors.ts'
import type { Clause, SearchPlan } from '../search-plan.ts'
import { checkBody } from './check-body.ts'
import { allOf, fieldOf } from './field-conditions.ts'
import { impliedSpan } from './implied-span.ts'
import { readAggregations } from './read-aggregations.ts'
import { readClauses } from './read-clause.ts'
import { readQueryText } from './query-text.ts'
import { readColumns, readPage, readSort } from './read-page.ts'
import { refused } from './refusal.ts'
import { type SearchBudget, searchBudget } from './search-budget.ts'
import { type SearchScope, boundsOf } from './search-scope.ts'

/** A search as its caller sent it. */
export interface SearchRequest {
  /** The JSON body; members that do not belong to a search are ignored. */
  readonly body: Readonly<Record<string, unknown>>
  /** The query parameter `leg`: wins over the body's `index`. */
  readonly leg?: string | undefined
}

/** A parsed search. */
export interface ReadSearch {
  readonly plan: SearchPlan
  readonly columns: readonly string[] | undefined
  /** Whether no span of time was given, so that the latest 31 days are searched. */
  readonly isDefaultRange: boolean
  readonly isScrolled: boolean
}

const day = 86_400_000

const [defaultDays, maxDays] = [31, 400]

/** The most that an engine's clock may be ahead of the service: calls are searched up to then. */
const clockSkew = day

/**
 * Turns a request into a plan that finds nothing outside of its scope. Relative dates count from `now` (epoch
 * milliseconds). Throws `query_refused` and `invalid_field` with the path in the body, and `not_found` for an unknown
 * index.
 */
export function readSearch(request: SearchRequest, scope: SearchScope, now: number): ReadSearch {
  checkBody(request.body)
  const body = new Map(Object.entries(request.body))
  const legs = legsOf(request.leg, body.get('index'))
  const budget = searchBudget()
  const query = readQuery(body, now, budget)
  const { from, to, isDefaultRange } = spanOf(query, now)
  const width = Math.max(0, Math.min(to, now + clockSkew) - from)
  const bounds = boundsOf(scope, { from, to })
  const columns = readColumns(body.get('columns'))
  const plan: SearchPlan = {
    ...(bounds ?? { domain: scope.domain ?? undefined, presenceId: scope.presenceId, from: now, to: now }),
    legs,
    query: bounds === undefined ? { kind: 'none' } : query,
    ...readPage(body),
    sort: readSort(body.get('sort')),
    aggregations: readAggregations(body.get('aggs'), { now, budget, width }),
    columns,
  }
  return { plan, columns, isDefaultRange, isScrolled: isScrolled(body.get('scroll')) }
}

function readQuery(body: ReadonlyMap<string, unknown>, now: number, budget: SearchBudget): Clause {
  const text = body.get('query') ?? '*'
  if (typeof text !== 'string') throw refused('query', 'must be text')
  const fields = [fieldOf('*', 'query')]
  const written = text.trim() === '' ? '*' : text
  const said = readQueryText(written, 'query', { now, budget, depth: 0, fields, isAndDefault: false })
  return allOf([said, ...readClauses(body.get('filter'), 'filter', 0, { now, budget })])
}

const legsByName: ReadonlyMap<string, readonly Leg[]> = new Map([
  ['a', ['a']],
  ['b', ['b']],
  ['*', ['a', 'b']],
] as const)

function legsOf(leg: string | undefined, index: unknown): readonly Leg[] {
  if (leg !== undefined) {
    const legs = legsByName.get(leg)
    if (legs === undefined) throw invalidField('leg', 'must be a, b or *')
    return legs
  }
  if (index !== undefined && typeof index !== 'string') throw invalidField('index', 'must be text')
  const name = index === undefined || index === '' ? 'cdr-a' : index
  const legs = name.startsWith('cdr-') ? legsByName.get(name.slice('cdr-'.length)) : undefined
  if (legs === undefined) throw new DomainError('not_found', 'index: must be cdr-a, cdr-b or cdr-*')
  return legs
}

function spanOf(
  query: Clause,
  now: number,
): { readonly from: number; readonly to: number; readonly isDefaultRange: boolean } {
  const implied = impliedSpan(query)
  if (implied.from === -Infinity && implied.to === Infinity) {
    return { from: now - defaultDays * day, to: now + clockSkew, isDefaultRange: true }
  }
  const to = Math.min(implied.to, now + clockSkew)
  if (implied.from > implied.to) return { from: now, to: now - 1, isDefaultRange: false }
  // The future contains no calls and does not count.
  if (Math.min(implied.to, now) - implied.from > maxDays * day) {
    throw refused('created_time', `a search goes over at most ${maxDays} days: give the range a later beginning`)
  }
  return { from: implied.from, to, isDefaultRange: false }
}

function isScrolled(value: unknown): boolean {
  if (value === undefined || value === false) return false
  if (value !== true) throw invalidField('scroll', 'must be true or false')
  return true
}
