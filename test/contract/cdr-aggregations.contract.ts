import { expect, test } from 'vitest'
import type { Cdr } from '../../core/cdr/cdr.ts'
import type { Aggregations } from '../../core/cdr/search-plan.ts'
import { aPlan, callTime } from '../support/records/cdrs.ts'
import type { CdrBench } from './cdr-store.contract.ts'

const hour = 3_600_000
const day = 24 * hour

/** Five calls: 12:00, 12:20, 14:00 of one day, and two of the third day after it. */
const calls: readonly Partial<Cdr>[] = [
  { uuid: '1', created_time: callTime, duration: 10, gateway: 'x', quality_percentage_audio: 90.5 },
  { uuid: '2', created_time: callTime + hour / 3, duration: 10, gateway: 'y', quality_percentage_audio: 99.5 },
  { uuid: '3', created_time: callTime + 2 * hour, duration: 25, gateway: 'x' },
  { uuid: '4', created_time: callTime + 3 * day, duration: 40, leg: 'b' },
  { uuid: '5', created_time: callTime + 3 * day, duration: 0, gateway: 'z' },
]

/** The contract of every CDR store, for aggregations: the form of OpenSearch's answers. */
export function cdrAggregationContract(bench: () => CdrBench): void {
  const answered = async (aggregations: Aggregations, cdrs: readonly Partial<Cdr>[] = calls): Promise<unknown> => {
    const { domain, keep, store } = bench()
    await keep(cdrs)
    return (await store.search(aPlan({ domain, limit: 0, aggregations }), 60_000)).aggregations
  }

  test('a terms aggregation counts values, the most frequent first and equal counts by value', async () => {
    const terms = { kind: 'terms', field: 'gateway', leastCount: 1 } as const

    expect(
      await answered({
        all: { ...terms, size: 10 },
        two: { ...terms, size: 2 },
        often: { ...terms, size: 9, leastCount: 2 },
      }),
    ).toEqual({
      all: {
        doc_count_error_upper_bound: 0,
        sum_other_doc_count: 0,
        buckets: [
          { key: 'x', doc_count: 2 },
          { key: 'y', doc_count: 1 },
          { key: 'z', doc_count: 1 },
        ],
      },
      two: {
        doc_count_error_upper_bound: 0,
        sum_other_doc_count: 1,
        buckets: [
          { key: 'x', doc_count: 2 },
          { key: 'y', doc_count: 1 },
        ],
      },
      often: { doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets: [{ key: 'x', doc_count: 2 }] },
    })
  })

  test('terms are ordered by count, by value or by a number in them', async () => {
    const terms = { kind: 'terms', field: 'gateway', size: 10, leastCount: 1 } as const
    const within = { long: { kind: 'max', field: 'duration' } } as const
    const asked: Aggregations = {
      fewest: { ...terms, order: { by: 'count', order: 'asc' } },
      last: { ...terms, order: { by: 'key', order: 'desc' } },
      shortest: { ...terms, within, order: { by: { metric: 'long' }, order: 'asc' } },
      longest: { ...terms, within, order: { by: { metric: 'long' }, order: 'desc' } },
    }

    expect(await keysOf(answered(asked))).toEqual({ fewest: 'yzx', last: 'zyx', shortest: 'zyx', longest: 'xyz' })
  })

  test('terms of numbers and dates have numbers as keys, and dates also their text', async () => {
    const terms = { kind: 'terms', size: 2, leastCount: 1 } as const

    expect(
      await answered({ numbers: { ...terms, field: 'duration' }, dates: { ...terms, field: 'created_time' } }),
    ).toMatchObject({
      numbers: {
        buckets: [
          { key: 10, doc_count: 2 },
          { key: 0, doc_count: 1 },
        ],
        sum_other_doc_count: 2,
      },
      dates: {
        buckets: [
          { key: callTime + 3 * day, key_as_string: '2026-01-18T12:00:00.000Z', doc_count: 2 },
          { key: callTime, key_as_string: '2026-01-15T12:00:00.000Z', doc_count: 1 },
        ],
      },
    })
  })

  test('a date histogram counts by units of the calendar and shows what lies between', async () => {
    const by = (unit: 'hour' | 'day' | 'month', leastCount: number) => {
      return { kind: 'date_histogram', field: 'created_time', interval: { unit }, leastCount } as const
    }

    expect(await answered({ days: by('day', 0), some: by('hour', 2), months: by('month', 0) })).toEqual({
      days: {
        buckets: [
          { key_as_string: '2026-01-15T00:00:00.000Z', key: callTime - 12 * hour, doc_count: 3 },
          { key_as_string: '2026-01-16T00:00:00.000Z', key: callTime + 12 * hour, doc_count: 0 },
          { key_as_string: '2026-01-17T00:00:00.000Z', key: callTime + 36 * hour, doc_count: 0 },
          { key_as_string: '2026-01-18T00:00:00.000Z', key: callTime + 60 * hour, doc_count: 2 },
        ],
      },
      some: {
        buckets: [
          { key_as_string: '2026-01-15T12:00:00.000Z', key: callTime, doc_count: 2 },
          { key_as_string: '2026-01-18T12:00:00.000Z', key: callTime + 3 * day, doc_count: 2 },
        ],
      },
      months: { buckets: [{ key_as_string: '2026-01-01T00:00:00.000Z', key: Date.UTC(2026, 0, 1), doc_count: 5 }] },
    })
  })

  test('a date histogram by each calendar unit begins its buckets where the unit begins', async () => {
    const units = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const
    const asked = units.map((unit) => {
      return [unit, { kind: 'date_histogram', field: 'created_time', interval: { unit }, leastCount: 1 }] as const
    })

    const keys = await keysOf(answered(Object.fromEntries(asked), [{ created_time: Date.UTC(2026, 4, 14, 9, 8, 7) }]))

    expect(keys).toEqual({
      minute: String(Date.UTC(2026, 4, 14, 9, 8)),
      hour: String(Date.UTC(2026, 4, 14, 9)),
      day: String(Date.UTC(2026, 4, 14)),
      week: String(Date.UTC(2026, 4, 11)),
      month: String(Date.UTC(2026, 4, 1)),
      quarter: String(Date.UTC(2026, 3, 1)),
      year: String(Date.UTC(2026, 0, 1)),
    })
  })

  test('a date histogram goes by the clocks of a zone', async () => {
    const days = { kind: 'date_histogram', field: 'created_time', interval: { unit: 'day' }, leastCount: 1 } as const
    const cdrs = [{ created_time: Date.UTC(2026, 2, 28, 23, 30) }, { created_time: Date.UTC(2026, 2, 29, 21, 30) }]

    expect(
      await answered({ fixed: { ...days, timeZone: '+02:00' }, named: { ...days, timeZone: 'Europe/Kyiv' } }, cdrs),
    ).toEqual({
      fixed: {
        buckets: [{ key_as_string: '2026-03-29T00:00:00.000+02:00', key: Date.UTC(2026, 2, 28, 22), doc_count: 2 }],
      },
      named: {
        buckets: [
          { key_as_string: '2026-03-29T00:00:00.000+02:00', key: Date.UTC(2026, 2, 28, 22), doc_count: 1 },
          { key_as_string: '2026-03-30T00:00:00.000+03:00', key: Date.UTC(2026, 2, 29, 21), doc_count: 1 },
        ],
      },
    })
  })

  test('a date histogram by a fixed length of time has buckets of that length', async () => {
    const asked = {
      kind: 'date_histogram',
      field: 'created_time',
      interval: { milliseconds: 15 * 60_000 },
      leastCount: 1,
    } as const

    expect(await answered({ quarters: asked })).toEqual({
      quarters: {
        buckets: [
          { key_as_string: '2026-01-15T12:00:00.000Z', key: callTime, doc_count: 1 },
          { key_as_string: '2026-01-15T12:15:00.000Z', key: callTime + hour / 4, doc_count: 1 },
          { key_as_string: '2026-01-15T14:00:00.000Z', key: callTime + 2 * hour, doc_count: 1 },
          { key_as_string: '2026-01-18T12:00:00.000Z', key: callTime + 3 * day, doc_count: 2 },
        ],
      },
    })
  })

  test('a histogram counts by steps of a number', async () => {
    const asked = { kind: 'histogram', field: 'duration', interval: 15 } as const

    expect(await answered({ all: { ...asked, leastCount: 0 }, some: { ...asked, leastCount: 1 } })).toEqual({
      all: {
        buckets: [
          { key: 0, doc_count: 3 },
          { key: 15, doc_count: 1 },
          { key: 30, doc_count: 1 },
        ],
      },
      some: { buckets: [0, 15, 30].map((key, index) => ({ key, doc_count: index === 0 ? 3 : 1 })) },
    })
  })

  test('the empty steps of a histogram contain the results of aggregations over nothing', async () => {
    const inner: Aggregations = { values: { kind: 'cardinality', field: 'gateway' } }
    const within: Aggregations = {
      terms: { kind: 'terms', field: 'gateway', size: 3, leastCount: 1, within: inner },
      days: { kind: 'date_histogram', field: 'created_time', interval: { unit: 'day' }, leastCount: 0 },
      steps: { kind: 'histogram', field: 'billsec', interval: 7, leastCount: 0 },
      ranges: { kind: 'range', field: 'duration', ranges: [{ from: 10 }, { to: 10 }], within: inner },
      named: { kind: 'filters', filters: { every: { kind: 'all' } }, within: inner },
      numbers: { kind: 'percentiles', field: 'duration', percents: [50, 99.9] },
      avg: { kind: 'avg', field: 'duration' },
      sum: { kind: 'sum', field: 'duration' },
      last: { kind: 'max', field: 'created_time' },
    }
    const steps = { kind: 'histogram', field: 'duration', interval: 5, leastCount: 0, within } as const

    const found = await answered({ steps }, [{ duration: 10 }, { duration: 20 }])

    const none = { doc_count: 0, values: { value: 0 } }
    expect(found).toMatchObject({ steps: { buckets: [{ key: 10 }, { key: 15 }, { key: 20 }] } })
    expect(found).toMatchObject({
      steps: {
        buckets: [
          { doc_count: 1 },
          {
            doc_count: 0,
            terms: { doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets: [] },
            days: { buckets: [] },
            steps: { buckets: [] },
            ranges: {
              buckets: [
                { key: '*-10.0', to: 10, ...none },
                { key: '10.0-*', from: 10, ...none },
              ],
            },
            named: { buckets: { every: none } },
            numbers: { values: { '50.0': null, '99.9': null } },
            avg: { value: null },
            sum: { value: 0 },
            last: { value: null },
          },
          { doc_count: 1 },
        ],
      },
    })
  })

  test('a histogram of too many steps is refused', async () => {
    const { domain, keep, store } = bench()
    await keep([{ duration: 0 }, { duration: 100_000 }])
    const aggregations: Aggregations = {
      steps: { kind: 'histogram', field: 'duration', interval: 1, leastCount: 0 },
    }

    const answer = store.search(aPlan({ domain, limit: 0, aggregations }), 60_000)

    await expect(answer).rejects.toMatchObject({ code: 'query_refused' })
  })

  test('numbers are summed up, and of none there is no number', async () => {
    const asked: Aggregations = {
      avg: { kind: 'avg', field: 'duration' },
      sum: { kind: 'sum', field: 'duration' },
      min: { kind: 'min', field: 'quality_percentage_audio' },
      max: { kind: 'max', field: 'created_time' },
      first: { kind: 'min', field: 'created_time' },
      values: { kind: 'cardinality', field: 'gateway' },
    }

    expect(await answered(asked)).toEqual({
      avg: { value: 17 },
      sum: { value: 85 },
      min: { value: 90.5 },
      max: { value: callTime + 3 * day, value_as_string: '2026-01-18T12:00:00.000Z' },
      first: { value: callTime, value_as_string: '2026-01-15T12:00:00.000Z' },
      values: { value: 3 },
    })
    expect(await answered(asked, [])).toEqual({
      avg: { value: null },
      sum: { value: 0 },
      min: { value: null },
      max: { value: null },
      first: { value: null },
      values: { value: 0 },
    })
  })

  test('the keys of percentiles are their percentages', async () => {
    const asked: Aggregations = { ends: { kind: 'percentiles', field: 'duration', percents: [0, 99.9, 100] } }

    expect(
      await answered(
        asked,
        [7, 7, 7].map((duration) => ({ duration })),
      ),
    ).toEqual({
      ends: { values: { '0.0': 7, '99.9': 7, '100.0': 7 } },
    })
    expect(await answered(asked, [])).toEqual({ ends: { values: { '0.0': null, '99.9': null, '100.0': null } } })
  })

  test('ranges count from their beginning up to, but without, their end', async () => {
    const ranges = [{ from: 10, to: 40 }, { to: 10 }, { key: 'long', from: 40 }, { from: 0.5, to: 10.5 }]

    expect(await answered({ durations: { kind: 'range', field: 'duration', ranges } })).toEqual({
      durations: {
        buckets: [
          { key: '*-10.0', to: 10, doc_count: 1 },
          { key: '0.5-10.5', from: 0.5, to: 10.5, doc_count: 2 },
          { key: '10.0-40.0', from: 10, to: 40, doc_count: 3 },
          { key: 'long', from: 40, doc_count: 1 },
        ],
      },
    })
  })

  test('filters count what meets their conditions', async () => {
    const filters = {
      x: { kind: 'equals', field: 'gateway', values: ['x'] },
      b: { kind: 'equals', field: 'leg', values: ['b'] },
      none: { kind: 'none' },
    } as const

    expect(await answered({ some: { kind: 'filters', filters } })).toEqual({
      some: { buckets: { x: { doc_count: 2 }, b: { doc_count: 1 }, none: { doc_count: 0 } } },
    })
  })

  test('aggregations are made in each bucket of others, three deep', async () => {
    const long: Aggregations = { long: { kind: 'max', field: 'duration' } }
    const days: Aggregations = {
      days: { kind: 'date_histogram', field: 'created_time', interval: { unit: 'day' }, leastCount: 1, within: long },
    }
    const only: Aggregations = {
      x: { kind: 'filters', filters: { x: { kind: 'equals', field: 'gateway', values: ['x'] } }, within: days },
      legs: { kind: 'terms', field: 'leg', size: 2, leastCount: 1, within: long },
      short: { kind: 'range', field: 'duration', ranges: [{ to: 20 }], within: long },
      steps: { kind: 'histogram', field: 'duration', interval: 100, leastCount: 1, within: long },
    }

    expect(await answered(only)).toEqual({
      x: {
        buckets: {
          x: {
            doc_count: 2,
            days: {
              buckets: [
                {
                  key_as_string: '2026-01-15T00:00:00.000Z',
                  key: callTime - 12 * hour,
                  doc_count: 2,
                  long: { value: 25 },
                },
              ],
            },
          },
        },
      },
      legs: {
        doc_count_error_upper_bound: 0,
        sum_other_doc_count: 0,
        buckets: [
          { key: 'a', doc_count: 4, long: { value: 25 } },
          { key: 'b', doc_count: 1, long: { value: 40 } },
        ],
      },
      short: { buckets: [{ key: '*-20.0', to: 20, doc_count: 3, long: { value: 10 } }] },
      steps: { buckets: [{ key: 0, doc_count: 5, long: { value: 40 } }] },
    })
  })

  test('aggregations count the results of the search, whatever its page', async () => {
    const { domain, keep, store } = bench()
    const other = bench()
    await other.keep(calls)
    await keep(calls)
    const aggregations: Aggregations = { calls: { kind: 'cardinality', field: 'uuid' } }
    const query = { kind: 'equals', field: 'gateway', values: ['x'] } as const

    const answer = await store.search(aPlan({ domain, limit: 1, skip: 1, query, aggregations }), 60_000)

    expect(answer.hits).toHaveLength(1)
    expect(answer.aggregations).toEqual({ calls: { value: 2 } })
    expect((await store.search(aPlan({ domain }), 60_000)).aggregations).toBeUndefined()
  })
}

/** The keys of the buckets of each aggregation, as one text. */
async function keysOf(answered: Promise<unknown>): Promise<Record<string, string>> {
  const answers = (await answered) as Record<string, { readonly buckets: readonly { readonly key: unknown }[] }>
  return Object.fromEntries(
    Object.entries(answers).map(([name, { buckets }]) => [name, buckets.map(({ key }) => key).join('')]),
  )
}
