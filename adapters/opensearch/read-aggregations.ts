import * as z from 'zod/mini'
import type { Aggregation, Aggregations } from '../../core/cdr/search-plan.ts'
import { searchUnavailable } from './client.ts'

type Answer = Readonly<Record<string, unknown>>

const number = z.nullable(z.number())

const bucket = z.catchall(z.object({ doc_count: z.number() }), z.unknown())

const keyed = z.extend(bucket, {
  key: z.union([z.string(), z.number()]),
  key_as_string: z.optional(z.string()),
})

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

/**
 * What aggregations came to, in the form of the search store's answers, with what the plan asked for and no more. An
 * answer in another form is an outage.
 */
export function readAggregations(aggregations: Aggregations, answer: unknown): Answer {
  const found = parsed(z.record(z.string(), z.unknown()), answer ?? {})
  return Object.fromEntries(Object.entries(aggregations).map(([name, wanted]) => [name, readOne(wanted, found[name])]))
}

function readOne(wanted: Aggregation, answer: unknown): Answer {
  switch (wanted.kind) {
    case 'terms': {
      const { buckets, ...about } = parsed(answers.terms, answer)
      return { ...about, buckets: buckets.map((each) => keyedBucket(wanted, each)) }
    }
    case 'date_histogram':
    case 'histogram':
      return { buckets: parsed(answers.histogram, answer).buckets.map((each) => keyedBucket(wanted, each)) }
    case 'range':
      return { buckets: parsed(answers.range, answer).buckets.map((each) => rangeBucket(wanted, each)) }
    case 'filters': {
      const buckets = Object.entries(parsed(answers.filters, answer).buckets)
      return { buckets: Object.fromEntries(buckets.map(([name, each]) => [name, plainBucket(wanted, each)])) }
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

function plainBucket({ within }: Aggregation, each: z.infer<typeof bucket>): Answer {
  return { doc_count: each.doc_count, ...(within && readAggregations(within, each)) }
}

function keyedBucket(wanted: Aggregation, each: z.infer<typeof keyed>): Answer {
  const { key, key_as_string } = each
  return { key, ...(key_as_string !== undefined && { key_as_string }), ...plainBucket(wanted, each) }
}

function rangeBucket(wanted: Aggregation, each: z.infer<typeof range>): Answer {
  const { key, from, to } = each
  return { key, ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...plainBucket(wanted, each) }
}

function parsed<T extends z.ZodMiniType>(schema: T, answer: unknown): z.infer<T> {
  const result = z.safeParse(schema, answer)
  if (result.success) return result.data
  throw searchUnavailable(new Error('aggregations were answered in another form', { cause: result.error }))
}
