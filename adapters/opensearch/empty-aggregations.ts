import type { Aggregation, Aggregations } from '../../core/cdr/search-plan.ts'
import { namedRange } from './aggregation-dsl.ts'
import { fieldKind } from './fields.ts'

/** The result of an aggregation, or of several by their names. */
export type AggregationResponse = Readonly<Record<string, unknown>>

/** Returns the search store's answer to aggregations over nothing. */
export function emptyAnswers(aggregations: Aggregations): AggregationResponse {
  return Object.fromEntries(Object.entries(aggregations).map(([name, wanted]) => [name, emptyAnswer(wanted)]))
}

function emptyAnswer(wanted: Aggregation): AggregationResponse {
  switch (wanted.kind) {
    case 'terms':
      return { doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets: [] }
    case 'date_histogram':
    case 'histogram':
      return { buckets: [] }
    case 'range': {
      const sorted = wanted.ranges.map(namedRange).sort((a, b) => {
        return compared(a.from ?? -Infinity, b.from ?? -Infinity) || compared(a.to ?? Infinity, b.to ?? Infinity)
      })
      return { buckets: sorted.map((range) => Object.assign({}, range, emptyBucket(wanted))) }
    }
    case 'filters':
      return { buckets: Object.fromEntries(Object.keys(wanted.filters).map((name) => [name, emptyBucket(wanted)])) }
    case 'avg':
    case 'min':
    case 'max':
      return { value: null }
    case 'sum':
      return { value: 0, ...(fieldKind(wanted.field) === 'date' && { value_as_string: new Date(0).toISOString() }) }
    case 'cardinality':
      return { value: 0 }
    case 'percentiles':
      return { values: Object.fromEntries(wanted.percents.map((percent) => [percentName(percent), null])) }
  }
}

function emptyBucket({ within }: Aggregation): AggregationResponse {
  return { doc_count: 0, ...emptyAnswers(within ?? {}) }
}

function compared(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function percentName(percent: number): string {
  return Number.isInteger(percent) ? percent.toFixed(1) : String(percent)
}
