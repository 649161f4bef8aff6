import type { Aggregation, Aggregations } from '../../core/cdr/search-plan.ts'
import { currentName } from '../../core/cdr/time-zone.ts'
import { type Dsl, clauseDsl } from './clause-dsl.ts'
import { fieldKind } from './fields.ts'

type Of<K extends Aggregation['kind']> = Extract<Aggregation, { readonly kind: K }>

/** Returns aggregations in the search store's language. `level` is the number of enclosing ones. */
export function aggregationsDsl(aggregations: Aggregations, level = 0): Dsl {
  return Object.fromEntries(
    Object.entries(aggregations).map(([name, aggregation]) => [
      name,
      {
        ...aggregationDsl(aggregation, level),
        ...(aggregation.within && { aggs: aggregationsDsl(aggregation.within, level + 1) }),
      },
    ]),
  )
}

function aggregationDsl(aggregation: Aggregation, level: number): Dsl {
  const { kind } = aggregation
  switch (kind) {
    case 'terms':
      return { terms: termsDsl(aggregation) }
    case 'date_histogram':
      return { date_histogram: dateHistogramDsl(aggregation) }
    case 'histogram': {
      const { field, interval, leastCount } = aggregation
      // Empty buckets are never asked for: see `everyStep` of read-aggregations.ts.
      return { histogram: { field, interval, min_doc_count: Math.max(1, leastCount) } }
    }
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
      return { [kind]: { field: aggregation.field, ...dateFormat(aggregation.field) } }
    case 'cardinality':
      return { cardinality: { field: aggregation.field, precision_threshold: preciseValues(level) } }
    case 'percentiles': {
      const { field, percents } = aggregation
      return { percentiles: { field, percents, ...dateFormat(field), tdigest: { compression: COMPRESSION } } }
    }
    case 'range':
      return rangeDsl(aggregation)
    case 'filters': {
      const filters = Object.entries(aggregation.filters).map(([name, clause]) => [name, clauseDsl(clause)])
      return { filters: { filters: Object.fromEntries(filters) } }
    }
  }
}

/**
 * Different values up to which a count of them is nearly exact. By itself it is the most that the search store grants,
 * at 128 KB; in buckets, each of which takes that memory, it is less: 4 KB, and 512 bytes in buckets of buckets.
 */
const preciseValues = (level: number): number => [40_000, 1000][level] ?? 100

/** Centres that an estimate of percentiles keeps, in proportion: 200 is twice the usual. */
const COMPRESSION = 200

/** Terms that each index gives, so that the sums over indices are nearly exact. */
const shardSize = (size: number): number => Math.min(size * 10 + 100, 10_000)

function termsDsl({ field, size, order, leastCount }: Of<'terms'>): Dsl {
  return {
    field,
    size,
    shard_size: shardSize(size),
    // With 0 there would be terms of other domains, which the index knows too.
    min_doc_count: Math.max(1, leastCount),
    ...(order && { order: { [orderKey(order.by)]: order.order } }),
    ...dateFormat(field),
  }
}

function orderKey(by: NonNullable<Of<'terms'>['order']>['by']): string {
  return typeof by === 'string' ? `_${by}` : by.metric
}

function dateHistogramDsl({ field, interval, timeZone, leastCount }: Of<'date_histogram'>): Dsl {
  return {
    field,
    ...('unit' in interval ? { calendar_interval: interval.unit } : { fixed_interval: `${interval.milliseconds}ms` }),
    ...(timeZone !== undefined && { time_zone: currentName(timeZone) }),
    min_doc_count: leastCount,
    ...dateFormat(field),
  }
}

function rangeDsl({ field, ranges }: Of<'range'>): Dsl {
  return { range: { field, ranges: ranges.map(namedRange) } }
}

/** Returns a range with a name, so that the answer needs no other: those of the store differ by the kind of field. */
export function namedRange({ key, from, to }: Of<'range'>['ranges'][number]) {
  return {
    key: key ?? `${endText(from)}-${endText(to)}`,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
}

function endText(value: number | undefined): string {
  if (value === undefined) return '*'
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}

/** Times as text are ISO 8601 with milliseconds, whatever the index thinks of it. */
function dateFormat(field: string): Dsl {
  return fieldKind(field) === 'date' ? { format: 'strict_date_time' } : {}
}
