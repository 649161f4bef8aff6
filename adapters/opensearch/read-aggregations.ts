import * as z from 'zod/mini'
import type { Aggregation, Aggregations } from '../../core/cdr/search-plan.ts'
import { DomainError } from '../../core/errors.ts'
import { searchUnavailable } from './client.ts'
import { type AggregationResponse as Answer, emptyAnswers } from './empty-aggregations.ts'

const number = z.nullable(z.number())

const bucket = z.catchall(z.object({ doc_count: z.number() }), z.unknown())

const keyed = z.extend(bucket, {
  key: z.union([z.string(), z.number()]),
  key_as_string: z.optional(z.string()),
})

type Keyed = z.infer<typeof keyed>

const range = z.extend(bucket, { key: z.string(), from: z.optional(z.number()), to: z.optional(z.number()) })

const answers = {
  terms: z.object({
    doc_count_error_upper_bound: z.number(),
    sum_other_doc_count: z.number(),
    buckets: z.array(keyed),
  }),
  histogram: z.object({ buckets: z.array(keyed) }),
  range: z.object({ buckets: z.array(range) }),
  filters: z.object({ buckets: z.record(z.string(), bucket) }),
  metric: z.object({ value: number, value_as_string: z.optional(z.string()) }),
  percentiles: z.object({ values: z.record(z.string(), z.unknown()) }),
}

/** Buckets that the steps of histograms may have in one answer, empty ones among them: the store's own limit. */
const MAX_STEPS = 65_535

interface Room {
  left: number
}

/**
 * Returns the results of aggregations, in the form of the search store's answers, limited to those that the plan
 * requested. An answer in another form is an outage; histograms of more than 65 535 steps are `query_refused`.
 */
export function readAggregations(aggregations: Aggregations, answer: unknown): Answer {
  return readLevel(aggregations, answer, { left: MAX_STEPS })
}

function readLevel(aggregations: Aggregations, answer: unknown, room: Room): Answer {
  const found = parsed(z.record(z.string(), z.unknown()), answer ?? {})
  return Object.fromEntries(
    Object.entries(aggregations).map(([name, wanted]) => [name, readOne(wanted, found[name], room)]),
  )
}

function readOne(wanted: Aggregation, answer: unknown, room: Room): Answer {
  switch (wanted.kind) {
    case 'terms': {
      const { buckets, ...about } = parsed(answers.terms, answer)
      return { ...about, buckets: buckets.map((each) => keyedBucket(wanted, each, room)) }
    }
    case 'date_histogram':
      return { buckets: parsed(answers.histogram, answer).buckets.map((each) => keyedBucket(wanted, each, room)) }
    case 'histogram': {
      const { buckets } = parsed(answers.histogram, answer)
      const read = (each: Keyed) => keyedBucket(wanted, each, room)
      return { buckets: wanted.leastCount === 0 ? everyStep(wanted, buckets, read, room) : buckets.map(read) }
    }
    case 'range':
      return { buckets: parsed(answers.range, answer).buckets.map((each) => rangeBucket(wanted, each, room)) }
    case 'filters': {
      const buckets = Object.entries(parsed(answers.filters, answer).buckets)
      return { buckets: Object.fromEntries(buckets.map(([name, each]) => [name, plainBucket(wanted, each, room)])) }
    }
    case 'avg':
    case 'sum':
    case 'min':
    case 'max':
    case 'cardinality':
      return parsed(answers.metric, answer)
    case 'percentiles': {
      // Times come twice, as text too.
      const values = Object.entries(parsed(answers.percentiles, answer).values)
      return { values: Object.fromEntries(values.filter(([name]) => !name.endsWith('_as_string'))) }
    }
  }
}

/**
 * The buckets of a histogram with the empty ones between them. The search store is never asked for these: it makes them
 * all before it counts them, and a small step over a wide range takes its memory from every tenant.
 */
function everyStep(
  { interval, within }: Extract<Aggregation, { readonly kind: 'histogram' }>,
  buckets: readonly Keyed[],
  read: (each: Keyed) => Answer,
  room: Room,
): Answer[] {
  const stepOf = ({ key }: Keyed) => Math.round(Number(key) / interval)
  const known = new Map(buckets.map((each) => [stepOf(each), each]))
  const [lowest, highest] = [buckets[0], buckets.at(-1)]
  if (lowest === undefined || highest === undefined) return []
  const [first, last] = [stepOf(lowest), stepOf(highest)]
  room.left -= last - first + 1
  if (!(room.left >= 0))
    throw new DomainError('query_refused', 'aggs: there would be too many buckets, take longer steps')
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const step = first + index
    const each = known.get(step)
    return each ? read(each) : { key: step * interval, doc_count: 0, ...emptyAnswers(within ?? {}) }
  })
}

function plainBucket({ within }: Aggregation, each: z.infer<typeof bucket>, room: Room): Answer {
  return { doc_count: each.doc_count, ...(within && readLevel(within, each, room)) }
}

function keyedBucket(wanted: Aggregation, each: Keyed, room: Room): Answer {
  const { key, key_as_string } = each
  return { key, ...(key_as_string !== undefined && { key_as_string }), ...plainBucket(wanted, each, room) }
}

function rangeBucket(wanted: Aggregation, each: z.infer<typeof range>, room: Room): Answer {
  const { key, from, to } = each
  return {
    key,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...plainBucket(wanted, each, room),
  }
}

function parsed<T extends z.ZodMiniType>(schema: T, answer: unknown): z.infer<T> {
  const result = z.safeParse(schema, answer)
  if (result.success) return result.data
  throw searchUnavailable(new Error('aggregations were answered in another form', { cause: result.error }))
}
