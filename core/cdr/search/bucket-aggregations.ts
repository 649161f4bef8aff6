import type { Aggregation } from '../search-plan.ts'
import { timeZoneOf } from '../time-zone.ts'
import { fieldIn } from './aggregated-field.ts'
import type { ClauseContext } from './clause-parts.ts'
import { readInterval } from './interval.ts'
import { readClause } from './read-clause.ts'
import { checkMembers, objectAt, refused, textAt } from './refusal.ts'

/** The context in which aggregations are read. */
export interface AggregationContext extends ClauseContext {
  /** The length in milliseconds of the searched span. */
  readonly width: number
  /** The number of buckets that the aggregation may be inside of. */
  readonly buckets: number
}

/** Reads one kind of aggregation, and returns how many buckets it may make, as far as that is known. */
export type ReadAggregation = (
  value: unknown,
  at: string,
  context: AggregationContext,
) => { readonly aggregation: Aggregation; readonly buckets: number }

/** Buckets of one answer. The search store's own limit is 65 535. */
const maxBuckets = 50_000

function checked(read: ReadAggregation): ReadAggregation {
  return (value, at, context) => {
    const result = read(value, at, context)
    if (result.buckets * context.buckets <= maxBuckets) return result
    throw refused(at, `could make more than ${maxBuckets} buckets: ask for fewer, or for a shorter time`)
  }
}

const maxTerms = 1000

const readTerms: ReadAggregation = (value, at) => {
  const members = objectAt(value, at)
  checkMembers(members, ['field', 'size', 'order', 'min_doc_count'], at)
  const size = members.get('size') ?? 10
  if (!isWhole(size) || size < 1 || size > maxTerms) throw refused(`${at}.size`, `must be from 1 to ${maxTerms}`)
  const leastCount = members.get('min_doc_count') ?? 1
  if (!isWhole(leastCount) || leastCount < 1) throw refused(`${at}.min_doc_count`, 'must be a whole number from 1')
  const field = fieldIn(members, ['text', 'integer', 'decimal', 'date'], at)
  const order = members.get('order')
  const ordered = order === undefined ? {} : { order: readOrder(order, `${at}.order`) }
  return { aggregation: { kind: 'terms', field, size, leastCount, ...ordered }, buckets: size }
}

function readOrder(value: unknown, at: string) {
  const [member, ...others] = [...objectAt(value, at)]
  if (member === undefined || others.length > 0) throw refused(at, 'must name one thing to order by')
  const [name, order] = member
  if (order !== 'asc' && order !== 'desc') throw refused(`${at}.${name}`, 'must be asc or desc')
  if (name === '_count') return { by: 'count', order } as const
  if (name === '_key' || name === '_term') return { by: 'key', order } as const
  return { by: { metric: name }, order } as const
}

const readDateHistogram: ReadAggregation = (value, at, { width }) => {
  const members = objectAt(value, at)
  const allowed = ['field', 'interval', 'calendar_interval', 'fixed_interval', 'time_zone', 'min_doc_count']
  checkMembers(members, allowed, at)
  const field = fieldIn(members, ['date'], at)
  const { interval, length } = readInterval(members, at)
  const leastCount = leastIn(members, at)
  const timeZone = members.get('time_zone')
  if (timeZone !== undefined && timeZoneOf(textAt(timeZone, `${at}.time_zone`)) === undefined) {
    throw refused(`${at}.time_zone`, 'must be a zone such as Europe/Kyiv or +02:00')
  }
  const zoned = typeof timeZone === 'string' ? { timeZone } : {}
  return {
    aggregation: { kind: 'date_histogram', field, interval, leastCount, ...zoned },
    buckets: Math.ceil(width / length) + 1,
  }
}

/** The shortest step of a histogram: the keys of shorter ones are not distinct as JSON numbers. */
const leastStep = 0.001

const readHistogram: ReadAggregation = (value, at) => {
  const members = objectAt(value, at)
  checkMembers(members, ['field', 'interval', 'min_doc_count'], at)
  const interval = members.get('interval')
  if (typeof interval !== 'number' || !(interval >= leastStep)) {
    throw refused(`${at}.interval`, `must be a number from ${leastStep}`)
  }
  const field = fieldIn(members, ['integer', 'decimal'], at)
  return { aggregation: { kind: 'histogram', field, interval, leastCount: leastIn(members, at) }, buckets: 1 }
}

function leastIn(members: ReadonlyMap<string, unknown>, at: string): number {
  const least = members.get('min_doc_count') ?? 0
  if (!isWhole(least) || least < 0) throw refused(`${at}.min_doc_count`, 'must be a whole number from 0')
  return least
}

const maxParts = 50

const readRanges: ReadAggregation = (value, at) => {
  const members = objectAt(value, at)
  checkMembers(members, ['field', 'ranges'], at)
  const field = fieldIn(members, ['integer', 'decimal'], at)
  const given = members.get('ranges')
  if (!Array.isArray(given) || given.length === 0 || given.length > maxParts) {
    throw refused(`${at}.ranges`, `must be a list of 1 to ${maxParts} ranges`)
  }
  const ranges = given.map((item: unknown, index) => readOneRange(item, `${at}.ranges[${index}]`))
  return { aggregation: { kind: 'range', field, ranges }, buckets: ranges.length }
}

function readOneRange(value: unknown, at: string) {
  const members = objectAt(value, at)
  checkMembers(members, ['from', 'to', 'key'], at)
  const [from, to, key] = [members.get('from'), members.get('to'), members.get('key')]
  const isEnd = (end: unknown) => end === undefined || typeof end === 'number'
  if (!isEnd(from) || !isEnd(to) || from === to) throw refused(at, 'must hold from, to or both, as numbers')
  return {
    ...(key !== undefined && { key: textAt(key, `${at}.key`) }),
    ...(typeof from === 'number' && { from }),
    ...(typeof to === 'number' && { to }),
  }
}

const readFilters: ReadAggregation = (value, at, context) => {
  const members = objectAt(value, at)
  checkMembers(members, ['filters'], at)
  const given = [...objectAt(members.get('filters'), `${at}.filters`)]
  if (given.length === 0 || given.length > maxParts)
    throw refused(`${at}.filters`, `must hold 1 to ${maxParts} filters`)
  const filters = given.map(([name, clause]) => {
    const place = `${at}.filters.${name}`
    if (name === '__proto__' || name.length > 64) throw refused(place, 'must have another name')
    return [name, readClause(clause, place, 0, context)] as const
  })
  return { aggregation: { kind: 'filters', filters: Object.fromEntries(filters) }, buckets: filters.length }
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}

/** The kinds that make buckets, which can contain other aggregations. */
export const bucketKinds: ReadonlyMap<string, ReadAggregation> = new Map([
  ['terms', checked(readTerms)],
  ['date_histogram', checked(readDateHistogram)],
  ['histogram', checked(readHistogram)],
  ['range', checked(readRanges)],
  ['filters', checked(readFilters)],
])
