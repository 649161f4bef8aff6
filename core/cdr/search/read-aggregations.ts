import type { FieldType } from '../cdr-fields.ts'
import { fieldIn } from './aggregated-field.ts'
import type { Aggregation, Aggregations } from '../search-plan.ts'
import { type AggregationContext, type ReadAggregation, bucketKinds } from './bucket-aggregations.ts'
import { checkMembers, objectAt, refused } from './refusal.ts'

const maxAggregations = 20

const maxDepth = 3

const taken: ReadonlySet<string> = new Set([
  'key',
  'key_as_string',
  'doc_count',
  'from',
  'from_as_string',
  'to',
  'to_as_string',
  'value',
  'value_as_string',
  'values',
  'buckets',
  'meta',
  'constructor',
  'prototype',
])

const kinds: ReadonlyMap<string, ReadAggregation> = new Map<string, ReadAggregation>([
  ...bucketKinds,
  ['avg', metric('avg', ['integer', 'decimal'])],
  ['sum', metric('sum', ['integer', 'decimal'])],
  ['min', metric('min', ['integer', 'decimal', 'date'])],
  ['max', metric('max', ['integer', 'decimal', 'date'])],
  ['cardinality', metric('cardinality', ['text', 'integer', 'decimal', 'date'])],
  ['percentiles', readPercentiles],
])

/**
 * Reads the aggregations of a search. Throws `query_refused` for unsupported kinds, for more than three levels, and for
 * an aggregation that could make too many buckets.
 */
export function readAggregations(
  value: unknown,
  context: Omit<AggregationContext, 'buckets'>,
): Aggregations | undefined {
  if (value === undefined) return undefined
  let used = 0
  const readLevel = (level: unknown, at: string, depth: number, buckets: number): Aggregations => {
    if (depth > maxDepth) throw refused(at, `aggregations stand in each other at most ${maxDepth} deep`)
    const read = [...objectAt(level, at)].map(([name, item]) => {
      used += 1
      if (used > maxAggregations) throw refused(at, `a search has at most ${maxAggregations} aggregations`)
      checkName(name, at)
      return [
        name,
        readOne(item, `${at}.${name}`, { ...context, buckets }, (inner, below) =>
          readLevel(inner, `${at}.${name}.aggs`, depth + 1, below),
        ),
      ] as const
    })
    return Object.fromEntries(read)
  }
  return readLevel(value, 'aggs', 1, 1)
}

function checkName(name: string, at: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_ .-]{0,63}$/.test(name) && !taken.has(name)) return
  throw refused(at, 'a name has 1 to 64 letters, digits, _, -, . and spaces, and is none that answers hold themselves')
}

function readOne(
  value: unknown,
  at: string,
  context: AggregationContext,
  readWithin: (value: unknown, buckets: number) => Aggregations,
): Aggregation {
  const members = new Map(objectAt(value, at))
  const inner = members.get('aggs') ?? members.get('aggregations')
  members.delete('aggs')
  members.delete('aggregations')
  const [member, ...others] = [...members]
  if (member === undefined || others.length > 0) throw refused(at, 'must hold one kind of aggregation')
  const [kind, content] = member
  const read = kinds.get(kind)
  if (read === undefined) throw refused(`${at}.${kind}`, `is not offered; offered are ${[...kinds.keys()].join(', ')}`)
  const { aggregation, buckets } = read(content, `${at}.${kind}`, context)
  if (inner === undefined) return checkedOrder(aggregation, at)
  if (!bucketKinds.has(kind)) throw refused(at, `${kind} is a number, which nothing can be counted in`)
  return checkedOrder({ ...aggregation, within: readWithin(inner, context.buckets * buckets) }, at)
}

/** Terms may be ordered only by a number that they contain. */
function checkedOrder(aggregation: Aggregation, at: string): Aggregation {
  if (aggregation.kind !== 'terms' || typeof aggregation.order?.by !== 'object') return aggregation
  const { metric: name } = aggregation.order.by
  const ordering = new Map(Object.entries(aggregation.within ?? {})).get(name)
  if (ordering !== undefined && ['avg', 'sum', 'min', 'max', 'cardinality'].includes(ordering.kind)) return aggregation
  throw refused(`${at}.terms.order`, 'must be by _count, _key, or the name of a number in aggs')
}

type MetricKind = 'avg' | 'sum' | 'min' | 'max' | 'cardinality'

function metric(kind: MetricKind, types: readonly FieldType[]): ReadAggregation {
  return (value, at) => {
    const members = objectAt(value, at)
    checkMembers(members, ['field', 'precision_threshold'], at)
    return { aggregation: { kind, field: fieldIn(members, types, at) }, buckets: 1 }
  }
}

const usualPercents = [1, 5, 25, 50, 75, 95, 99]

function readPercentiles(value: unknown, at: string): { readonly aggregation: Aggregation; readonly buckets: number } {
  const members = objectAt(value, at)
  checkMembers(members, ['field', 'percents'], at)
  const percents = members.get('percents') ?? usualPercents
  if (!Array.isArray(percents) || percents.length === 0 || percents.length > 20 || !percents.every(isPercent)) {
    throw refused(`${at}.percents`, 'must be a list of 1 to 20 numbers from 0 to 100')
  }
  return {
    aggregation: { kind: 'percentiles', field: fieldIn(members, ['integer', 'decimal'], at), percents },
    buckets: 1,
  }
}

function isPercent(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100
}
