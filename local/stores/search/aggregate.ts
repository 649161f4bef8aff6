import type { AggregationKind, Maker, Place } from './accumulator.ts'
import { isObject, type JsonObject, objectOf } from './json.ts'
import { badRequest } from './refusal.ts'
import { bucketKinds } from './bucket-kinds.ts'
import { metricKinds } from './metric-kinds.ts'
import type { Condition } from './query.ts'

/** Buckets of one answer, at most, as OpenSearch has it where nothing else is set. */
const maxBuckets = 65_535

const maxDepth = 10

/** Parsed aggregations: the columns that they read, and their accumulators. */
export interface Aggregations {
  readonly columns: readonly Condition[]
  readonly make: Maker
}

/** Reads aggregations; every kind that is not known here is refused. */
export function readAggregations(aggs: JsonObject): Aggregations {
  const columns: Condition[] = []
  const place: Place = (column) => {
    columns.push(column)
    // The first column of a row is its number.
    return columns.length
  }
  return { columns, make: makerOf(aggs, { place, count: bucketCounter() }, 0) }
}

/** Returns the columns that aggregations need. */
export function aggregationColumns({ columns }: Aggregations): readonly Condition[] {
  return columns
}

/** Returns the results of aggregations over rows. */
export function aggregate({ make }: Aggregations, rows: Iterable<unknown>): JsonObject {
  const accumulator = make()
  for (const row of rows) accumulator.add(Array.isArray(row) ? row : [])
  const result = accumulator.result()
  if (bucketsIn(result) > maxBuckets) {
    throw badRequest(`Trying to create too many buckets. Must be less than or equal to: [${maxBuckets}]`)
  }
  return result
}

const kinds: ReadonlyMap<string, AggregationKind> = new Map([...metricKinds, ...bucketKinds])

/** Buckets that one search keeps while it counts, including empty ones: their content must fit into memory. */
const maxKept = 200_000

function bucketCounter(): () => void {
  let kept = 0
  return () => {
    kept += 1
    if (kept > maxKept) throw badRequest(`more than ${maxKept} buckets`, 'too_many_buckets_exception')
  }
}

interface Reading {
  readonly place: Place
  readonly count: () => void
}

function makerOf(aggs: JsonObject, reading: Reading, depth: number): Maker {
  if (depth > maxDepth) throw badRequest('aggregations are nested too deep')
  const named = Object.entries(aggs).map(([name, given]) => {
    const { aggs: within, ...kindAndBody } = objectOf(given, name)
    const [entry, ...others] = Object.entries(kindAndBody)
    const kind = kinds.get(entry?.[0] ?? '')
    if (entry === undefined || kind === undefined || others.length > 0) {
      throw badRequest(`Unknown aggregation type [${Object.keys(kindAndBody).join()}]`)
    }
    const inner = makerOf(isObject(within) ? within : {}, reading, depth + 1)
    return [name, kind(objectOf(entry[1], entry[0]), reading.place, inner)] as const
  })
  return () => {
    reading.count()
    const accumulators = named.map(([name, make]) => [name, make()] as const)
    return {
      add(row) {
        for (const [, accumulator] of accumulators) accumulator.add(row)
      },
      result: () => Object.fromEntries(accumulators.map(([name, accumulator]) => [name, accumulator.result()])),
    }
  }
}

function bucketsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, inner) => sum + 1 + bucketsIn(inner), 0)
  if (!isObject(value)) return 0
  return Object.values(value).reduce<number>((sum, inner) => sum + bucketsIn(inner), 0)
}
