import type { AggregationKind } from './accumulator.ts'
import { numericField, timeText } from './aggregated-field.ts'
import { Bucket, Buckets, inOrder } from './buckets.ts'
import { dateHistogramKind } from './date-histogram.ts'
import { type JsonObject, checkNames, countIn, listOf, objectOf } from './json.ts'
import { queryCondition } from './query.ts'
import { badRequest } from './refusal.ts'
import { termsKind } from './terms.ts'

const histogram: AggregationKind = (body, place, within) => {
  checkNames(body, ['field', 'interval', 'min_doc_count'], 'histogram')
  const { numbersIn } = numericField(body, place, 'histogram')
  const interval = Number(body['interval'])
  if (!(interval > 0)) throw badRequest('[interval] must be >0 for histogram aggregation', 'illegal_argument_exception')
  const least = countIn(body, 'min_doc_count', 0)
  return () => {
    const buckets = new Buckets<number>(within)
    return {
      add(row) {
        for (const index of new Set(numbersIn(row).map((value) => Math.floor(value / interval))))
          buckets.add(index, row)
      },
      result() {
        const all = inOrder(buckets, least, (index) => index + 1)
        return { buckets: all.map(([index, bucket]) => bucket.result({ key: index * interval })) }
      },
    }
  }
}

const range: AggregationKind = (body, place, within) => {
  checkNames(body, ['field', 'ranges', 'format'], 'range')
  const { field, numbersIn } = numericField(body, place, 'range')
  const ranges = listOf(body['ranges'])
    .map((given) => {
      const { key, from = -Infinity, to = Infinity } = objectOf(given, 'ranges')
      return { key, from: Number(from), to: Number(to) }
    })
    .sort((a, b) => compareEnds(a.from, b.from) || compareEnds(a.to, b.to))
  return () => {
    const buckets = ranges.map((edges) => ({ edges, bucket: new Bucket(within) }))
    return {
      add(row) {
        const values = numbersIn(row)
        for (const { edges, bucket } of buckets) {
          if (values.some((value) => value >= edges.from && value < edges.to)) bucket.add(row)
        }
      },
      result: () => ({
        buckets: buckets.map(({ edges: { key, from, to }, bucket }) => {
          const isTime = field?.type === 'date'
          const ends = { ...endOf('from', from, isTime), ...endOf('to', to, isTime) }
          return bucket.result({ key: key ?? `${endText(from)}-${endText(to)}`, ...ends })
        }),
      }),
    }
  }
}

function compareEnds(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function endText(value: number): string {
  if (!Number.isFinite(value)) return '*'
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}

function endOf(name: 'from' | 'to', value: number, isTime: boolean): JsonObject {
  if (!Number.isFinite(value)) return {}
  return { [name]: value, ...(isTime && { [`${name}_as_string`]: timeText(value) }) }
}

const filters: AggregationKind = (body, place, within) => {
  checkNames(body, ['filters'], 'filters')
  const named = Object.entries(objectOf(body['filters'], 'filters')).map(([name, query]) => {
    const { sql, values } = queryCondition(query)
    return { name, at: place({ sql: `(${sql}) IS TRUE`, values }) }
  })
  return () => {
    const buckets = named.map(({ name, at }) => ({ name, at, bucket: new Bucket(within) }))
    return {
      add(row) {
        for (const { at, bucket } of buckets) if (row[at] === 1) bucket.add(row)
      },
      result: () => ({ buckets: Object.fromEntries(buckets.map(({ name, bucket }) => [name, bucket.result()])) }),
    }
  }
}

/** Aggregations that put rows into buckets. */
export const bucketKinds: readonly (readonly [string, AggregationKind])[] = [
  ['terms', termsKind],
  ['date_histogram', dateHistogramKind],
  ['histogram', histogram],
  ['range', range],
  ['filters', filters],
]
