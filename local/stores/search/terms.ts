import type { AggregationKind } from './accumulator.ts'
import { aggregatedField, timeText } from './aggregated-field.ts'
import { Buckets } from './buckets.ts'
import type { Field } from './field.ts'
import { compareValues } from './functions.ts'
import { type JsonObject, checkNames, countIn, isObject, onlyEntry } from './json.ts'
import { badRequest } from './refusal.ts'

/** Rows by each value of a field. */
export const termsKind: AggregationKind = (body, place, within) => {
  checkNames(body, ['field', 'size', 'shard_size', 'min_doc_count', 'order', 'format'], 'terms')
  const { field, valuesIn } = aggregatedField(body, place)
  const [size, least] = [countIn(body, 'size', 10), countIn(body, 'min_doc_count', 1)]
  const order = orderOf(body['order'])
  return () => {
    const buckets = new Buckets<string | number>(within)
    return {
      add(row) {
        for (const value of new Set(valuesIn(row))) buckets.add(value, row)
      },
      result() {
        const all = [...buckets.byKey].filter(([, bucket]) => bucket.count >= least)
        const sorted = all
          .map(([key, bucket]) => ({ key, result: bucket.result(headOf(key, field)) }))
          .sort((a, b) => order(a, b) || compareValues(a.key, b.key))
        return {
          doc_count_error_upper_bound: 0,
          sum_other_doc_count: sorted.slice(size).reduce((sum, { result }) => sum + Number(result['doc_count']), 0),
          buckets: sorted.slice(0, size).map(({ result }) => result),
        }
      },
    }
  }
}

function headOf(key: string | number, field: Field | undefined): JsonObject {
  return field?.type === 'date' ? { key, key_as_string: timeText(Number(key)) } : { key }
}

interface KeyedResult {
  readonly key: string | number
  readonly result: JsonObject
}

/** The order of terms: `{ _count | _key | <metric>: asc | desc }`. What has no number comes last. */
function orderOf(given: unknown): (a: KeyedResult, b: KeyedResult) => number {
  const [by, direction] = onlyEntry(given ?? { _count: 'desc' }, 'order')
  const sign = direction === 'asc' ? 1 : -1
  if (by === '_key') return (a, b) => sign * compareValues(a.key, b.key)
  const rank = ({ result }: KeyedResult): number => {
    if (by === '_count') return Number(result['doc_count'])
    const metric = result[by]
    if (!isObject(metric) || !('value' in metric)) {
      throw badRequest(`Invalid aggregator order path [${by}]`, 'aggregation_execution_exception')
    }
    return typeof metric['value'] === 'number' ? metric['value'] : sign * Infinity
  }
  return (a, b) => {
    const [left, right] = [rank(a), rank(b)]
    return left === right ? 0 : sign * (left < right ? -1 : 1)
  }
}
