import { type CalendarUnit, beginningOf, plusUnits } from '../../../core/cdr/calendar.ts'
import type { Cdr } from '../../../core/cdr/cdr.ts'
import { fieldTypeOf } from '../../../core/cdr/cdr-fields.ts'
import { valuesOf } from '../../../core/cdr/field-values.ts'
import type { Aggregation, Aggregations } from '../../../core/cdr/search-plan.ts'
import { DomainError } from '../../../core/errors.ts'
import { type TimeZone, timeZoneOf, utc } from '../../../core/cdr/time-zone.ts'
import { compareValues, matches } from './cdr-matches.ts'
import { metricOf } from './cdr-metrics.ts'

type Kind<K extends Aggregation['kind']> = Extract<Aggregation, { readonly kind: K }>
type Answer = Readonly<Record<string, unknown>>
type Term = Answer & { readonly key: string | number }

/** Returns the results of aggregations over CDRs in the form of OpenSearch's answers. */
export function aggregate(cdrs: readonly Cdr[], aggregations: Aggregations): Answer {
  return Object.fromEntries(Object.entries(aggregations).map(([name, wanted]) => [name, answerOf(cdrs, wanted)]))
}

function answerOf(cdrs: readonly Cdr[], wanted: Aggregation): Answer {
  switch (wanted.kind) {
    case 'terms':
      return terms(cdrs, wanted)
    case 'date_histogram':
      return dateHistogram(cdrs, wanted)
    case 'histogram':
      return histogram(cdrs, wanted)
    case 'range':
      return { buckets: ranges(cdrs, wanted) }
    case 'filters':
      return { buckets: filters(cdrs, wanted) }
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
    case 'cardinality':
    case 'percentiles':
      return metricOf(cdrs, wanted)
  }
}

function bucket(head: Answer, cdrs: readonly Cdr[], { within }: Aggregation): Answer {
  return { ...head, doc_count: cdrs.length, ...aggregate(cdrs, within ?? {}) }
}

/** CDRs by each of their distinct values, or by what is made of these. */
function groups<T extends string | number>(
  cdrs: readonly Cdr[],
  field: string,
  groupOf: (value: string | number) => T | undefined,
): Map<T, Cdr[]> {
  const grouped = new Map<T, Cdr[]>()
  for (const cdr of cdrs) {
    for (const group of new Set(valuesOf(cdr, field).map(groupOf))) {
      if (group === undefined) continue
      const members = grouped.get(group)
      if (members === undefined) grouped.set(group, [cdr])
      else members.push(cdr)
    }
  }
  return grouped
}

function terms(cdrs: readonly Cdr[], wanted: Kind<'terms'>): Answer {
  const { field, size, leastCount, order = { by: 'count', order: 'desc' } as const } = wanted
  const all = [...groups(cdrs, field, (value) => value)]
    .filter(([, members]) => members.length >= leastCount)
    .map(([key, members]): Term => Object.assign({ key }, bucket(dateText(field, key), members, wanted)))
  const rankOf = (answer: Answer): number => {
    if (order.by === 'count') return Number(answer['doc_count'])
    if (order.by === 'key') return 0
    const { value } = answer[order.by.metric] as { readonly value: number | null }
    return value ?? (order.order === 'asc' ? Infinity : -Infinity)
  }
  const sign = order.order === 'asc' ? 1 : -1
  const keySign = order.by === 'key' ? sign : 1
  const sorted = all.sort((a, b) => {
    const [left, right] = [rankOf(a), rankOf(b)]
    return left === right ? keySign * compareValues(a.key, b.key) : sign * (left < right ? -1 : 1)
  })
  return {
    doc_count_error_upper_bound: 0,
    sum_other_doc_count: sorted.slice(size).reduce((sum, answer) => sum + Number(answer['doc_count']), 0),
    buckets: sorted.slice(0, size),
  }
}

function dateText(field: string, key: string | number): Answer {
  return fieldTypeOf(field) === 'date' ? { key_as_string: new Date(key).toISOString() } : {}
}

function dateHistogram(cdrs: readonly Cdr[], wanted: Kind<'date_histogram'>): Answer {
  const zone = (wanted.timeZone === undefined ? undefined : timeZoneOf(wanted.timeZone)) ?? utc
  const { interval } = wanted
  const begin = (at: number): number => {
    if ('unit' in interval) return beginningOf(interval.unit satisfies CalendarUnit, at, zone)
    const offset = zone.offsetAt(at)
    return Math.floor((at + offset) / interval.milliseconds) * interval.milliseconds - offset
  }
  const next = (at: number): number =>
    'unit' in interval ? plusUnits(interval.unit, 1, at, zone) : begin(at + interval.milliseconds)
  const grouped = groups(cdrs, wanted.field, (value) => (typeof value === 'number' ? begin(value) : undefined))
  const buckets = filled(grouped, wanted.leastCount, next).map(([key, members]) => {
    return bucket({ key_as_string: localText(key, zone), key }, members, wanted)
  })
  return { buckets }
}

function localText(at: number, zone: TimeZone): string {
  const offset = zone.offsetAt(at)
  const local = new Date(at + offset).toISOString().slice(0, -1)
  if (zone === utc) return `${local}Z`
  const minutes = Math.abs(offset) / 60_000
  const digits = (count: number) => String(Math.floor(count)).padStart(2, '0')
  return offset === 0 ? `${local}Z` : `${local}${offset < 0 ? '-' : '+'}${digits(minutes / 60)}:${digits(minutes % 60)}`
}

function histogram(cdrs: readonly Cdr[], wanted: Kind<'histogram'>): Answer {
  const { interval, field, leastCount } = wanted
  const grouped = groups(cdrs, field, (value) => (typeof value === 'number' ? Math.floor(value / interval) : undefined))
  const buckets = filled(grouped, leastCount, (index) => index + 1)
  return { buckets: buckets.map(([index, members]) => bucket({ key: index * interval }, members, wanted)) }
}

/** Buckets of one answer, as OpenSearch limits them (`search.max_buckets`). */
const maxBuckets = 65_535

/** Groups in the order of their keys; where empty ones count, those between the first and the last join. */
function filled(grouped: Map<number, Cdr[]>, leastCount: number, next: (key: number) => number): [number, Cdr[]][] {
  const known = [...grouped].sort(([a], [b]) => a - b)
  const [first, last] = [known[0]?.[0], known.at(-1)?.[0]]
  if (leastCount > 0 || first === undefined || last === undefined) {
    return known.filter(([, members]) => members.length >= leastCount)
  }
  const all: [number, Cdr[]][] = []
  for (let key = first; key <= last; key = next(key)) {
    if (all.length >= maxBuckets) throw new DomainError('query_refused', 'aggs: there would be too many buckets')
    all.push([key, grouped.get(key) ?? []])
  }
  return all
}

function ranges(cdrs: readonly Cdr[], wanted: Kind<'range'>): Answer[] {
  const { field } = wanted
  const sorted = [...wanted.ranges].sort((a, b) => {
    return (a.from ?? -Infinity) - (b.from ?? -Infinity) || (a.to ?? Infinity) - (b.to ?? Infinity)
  })
  return sorted.map(({ key, from, to }) => {
    const members = cdrs.filter((cdr) => {
      const values = valuesOf(cdr, field).filter((value) => typeof value === 'number')
      return values.some((value) => value >= (from ?? -Infinity) && value < (to ?? Infinity))
    })
    const ends = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    return bucket({ key: key ?? `${doubleText(from)}-${doubleText(to)}`, ...ends }, members, wanted)
  })
}

function doubleText(value: number | undefined): string {
  if (value === undefined) return '*'
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}

function filters(cdrs: readonly Cdr[], wanted: Kind<'filters'>): Answer {
  const buckets = Object.entries(wanted.filters).map(([name, clause]) => {
    const members = cdrs.filter((cdr) => matches(cdr, clause))
    return [name, bucket({}, members, wanted)]
  })
  return Object.fromEntries(buckets)
}
