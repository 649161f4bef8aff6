import type { Cdr, Leg } from './cdr.ts'

/** A value that a field is compared with. Dates are epoch milliseconds. */
export type FieldValue = string | number | boolean

/** One end of a range. */
export interface Bound {
  readonly value: string | number
  readonly isInclusive: boolean
}

/**
 * A condition on one CDR, written by the service after parsing: no caller's text is syntax in it. Fields are names of
 * the contract, `variables.<name>`, or {@link anyField}. Text is compared exactly, with regard to case.
 */
export type Clause =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'bool'
      readonly must: readonly Clause[]
      readonly mustNot: readonly Clause[]
      readonly should: readonly Clause[]
      /** The least number of `should` clauses that must hold. */
      readonly leastShould: number
    }
  /** The field has one of these values. */
  | { readonly kind: 'equals'; readonly field: string; readonly values: readonly FieldValue[] }
  | {
      readonly kind: 'range'
      readonly field: string
      readonly from?: Bound | undefined
      readonly to?: Bound | undefined
    }
  | { readonly kind: 'prefix'; readonly field: string; readonly text: string }
  /** `*` stands for any text, `?` for one character; a backslash escapes the next character. */
  | { readonly kind: 'wildcard'; readonly field: string; readonly pattern: string }
  | { readonly kind: 'exists'; readonly field: string }

/** Stands in a {@link Clause} for every field of the contract except variables and recordings: one must match. */
export const anyField = 'any'

/** A key of the order of hits. */
export interface SortKey {
  readonly field: string
  readonly order: 'asc' | 'desc'
}

/** Computed values in addition to the hits, or instead of them. The contract's kinds, three levels deep at most. */
export type Aggregation = { readonly within?: Aggregations | undefined } & (
  | {
      readonly kind: 'terms'
      readonly field: string
      /** 1 to 1000. */
      readonly size: number
      /** The order of the buckets; by count, greatest first, by default. */
      readonly order?: { readonly by: 'count' | 'key' | { readonly metric: string }; readonly order: 'asc' | 'desc' }
      readonly leastCount: number
    }
  | {
      readonly kind: 'date_histogram'
      readonly field: string
      readonly interval:
        | { readonly unit: 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year' }
        | { readonly milliseconds: number }
      /** IANA name or offset such as `+02:00`; UTC where absent. */
      readonly timeZone?: string | undefined
      readonly leastCount: number
    }
  | { readonly kind: 'histogram'; readonly field: string; readonly interval: number; readonly leastCount: number }
  | { readonly kind: 'avg' | 'sum' | 'min' | 'max' | 'cardinality'; readonly field: string }
  | { readonly kind: 'percentiles'; readonly field: string; readonly percents: readonly number[] }
  | {
      readonly kind: 'range'
      readonly field: string
      readonly ranges: readonly {
        readonly key?: string | undefined
        readonly from?: number | undefined
        readonly to?: number | undefined
      }[]
    }
  | { readonly kind: 'filters'; readonly filters: Readonly<Record<string, Clause>> }
)

/** Aggregations by the names that the caller gave them. */
export type Aggregations = Readonly<Record<string, Aggregation>>

/** A parsed search. All times in it are absolute. */
export interface SearchPlan {
  /** The one domain whose CDRs may be found; absent for root without a domain: all. */
  readonly domain?: string | undefined
  /** Only CDRs of this presence id may be found: for callers that may see only their own calls. */
  readonly presenceId?: string | undefined
  readonly legs: readonly Leg[]
  /**
   * The span of created_time, epoch milliseconds, both ends included: nothing outside of it is found, whatever the
   * query says. It does not begin before the domain.
   */
  readonly from: number
  readonly to: number
  readonly query: Clause
  /** The number of requested hits, 0 to 1000, and of hits to skip first. */
  readonly limit: number
  readonly skip: number
  /** The order of hits; the last key is always `uuid`. */
  readonly sort: readonly SortKey[]
  readonly after?: readonly (string | number | boolean | null)[] | undefined
  readonly aggregations?: Aggregations | undefined
  /**
   * The columns that hits are shown with. A store may leave out optional fields that are not listed, and all variables
   * if none is listed. By default everything.
   */
  readonly columns?: readonly string[] | undefined
}

/** One hit. */
export interface SearchHit {
  readonly cdr: Cdr
  /** The values of the plan's sort keys; `null` where the CDR has no such field. */
  readonly sort: readonly (string | number | boolean | null)[]
}

/** The result of a search. */
export interface SearchResponse {
  readonly tookMs: number
  /** Whether the store stopped before it had seen everything. */
  readonly timedOut: boolean
  readonly shards: {
    readonly total: number
    readonly successful: number
    readonly skipped: number
    readonly failed: number
  }
  /** Exact up to 10 000; beyond that 10 000, and `isLeast`. */
  readonly total: number
  readonly isLeast: boolean
  readonly hits: readonly SearchHit[]
  /** In the form of the search store's answers (`buckets`, `doc_count`, `value`, …), by name. */
  readonly aggregations?: Readonly<Record<string, unknown>> | undefined
}
