import { describe, expect, test } from 'vitest'
import { readSearch } from '../../../core/cdr/search/search-request.ts'
import { callTime } from '../../support/records/cdrs.ts'

/** Returns the aggregations of a search over so many days. */
function read(aggs: unknown, days = 31) {
  const filter = { range: { created_time: { gte: `now-${days}d`, lte: 'now' } } }
  return readSearch({ body: { aggs, filter } }, { domain: 'a.example.com' }, callTime).plan.aggregations
}

const terms = { kind: 'terms', field: 'gateway', size: 10, leastCount: 1 }
const days = { kind: 'date_histogram', field: 'created_time', interval: { unit: 'day' }, leastCount: 0 }

describe('aggregations next to the hits', () => {
  const kinds: readonly (readonly [unknown, unknown])[] = [
    [{ terms: { field: 'gateway' } }, terms],
    [{ terms: { field: '_id', size: 1000, min_doc_count: 2 } }, { ...terms, field: 'uuid', size: 1000, leastCount: 2 }],
    [{ terms: { field: 'recordings.state' } }, { ...terms, field: 'recordings.state' }],
    [{ terms: { field: 'gateway', order: { _count: 'asc' } } }, { ...terms, order: { by: 'count', order: 'asc' } }],
    [{ terms: { field: 'gateway', order: { _key: 'asc' } } }, { ...terms, order: { by: 'key', order: 'asc' } }],
    [{ terms: { field: 'gateway', order: { _term: 'desc' } } }, { ...terms, order: { by: 'key', order: 'desc' } }],
    [
      { terms: { field: 'gateway', order: { long: 'desc' } }, aggs: { long: { max: { field: 'duration' } } } },
      {
        ...terms,
        order: { by: { metric: 'long' }, order: 'desc' },
        within: { long: { kind: 'max', field: 'duration' } },
      },
    ],
    [{ date_histogram: { field: 'created_time', interval: 'day' } }, days],
    [{ date_histogram: { field: 'created_time', interval: '1d' } }, days],
    [
      { date_histogram: { field: 'created_time', calendar_interval: '1d', min_doc_count: 1 } },
      { ...days, leastCount: 1 },
    ],
    [
      { date_histogram: { field: 'created_time', calendar_interval: 'quarter' } },
      { ...days, interval: { unit: 'quarter' } },
    ],
    [{ date_histogram: { field: 'created_time', calendar_interval: '1M' } }, { ...days, interval: { unit: 'month' } }],
    [{ date_histogram: { field: 'created_time', interval: '1m' } }, { ...days, interval: { unit: 'minute' } }],
    [
      { date_histogram: { field: 'created_time', interval: '90m' } },
      { ...days, interval: { milliseconds: 5_400_000 } },
    ],
    [
      { date_histogram: { field: 'created_time', fixed_interval: '1d' } },
      { ...days, interval: { milliseconds: 86_400_000 } },
    ],
    [
      { date_histogram: { field: 'created_time', interval: 'day', time_zone: 'Europe/Kyiv' } },
      { ...days, timeZone: 'Europe/Kyiv' },
    ],
    [
      { histogram: { field: 'duration', interval: 60 } },
      { kind: 'histogram', field: 'duration', interval: 60, leastCount: 0 },
    ],
    [{ avg: { field: 'duration' } }, { kind: 'avg', field: 'duration' }],
    [{ sum: { field: 'quality_percentage_audio' } }, { kind: 'sum', field: 'quality_percentage_audio' }],
    [{ min: { field: 'created_time' } }, { kind: 'min', field: 'created_time' }],
    [{ cardinality: { field: 'uuid', precision_threshold: 100 } }, { kind: 'cardinality', field: 'uuid' }],
    [
      { percentiles: { field: 'duration' } },
      { kind: 'percentiles', field: 'duration', percents: [1, 5, 25, 50, 75, 95, 99] },
    ],
    [
      { percentiles: { field: 'duration', percents: [99.9] } },
      { kind: 'percentiles', field: 'duration', percents: [99.9] },
    ],
    [
      { range: { field: 'duration', ranges: [{ to: 10 }, { from: 10, key: 'long' }] } },
      { kind: 'range', field: 'duration', ranges: [{ to: 10 }, { from: 10, key: 'long' }] },
    ],
    [
      { filters: { filters: { x: { term: { gateway: 'x' } }, rest: { query_string: { query: '-gateway:x' } } } } },
      {
        kind: 'filters',
        filters: {
          x: { kind: 'equals', field: 'gateway', values: ['x'] },
          rest: expect.objectContaining({ mustNot: [{ kind: 'equals', field: 'gateway', values: ['x'] }] }),
        },
      },
    ],
    [
      {
        terms: { field: 'gateway' },
        aggregations: {
          d: {
            date_histogram: { field: 'created_time', interval: 'day' },
            aggs: { a: { avg: { field: 'duration' } } },
          },
        },
      },
      { ...terms, within: { d: { ...days, within: { a: { kind: 'avg', field: 'duration' } } } } },
    ],
  ]

  test.each(kinds)('the aggregation %j is read correctly', (asked, meaning) => {
    expect(read({ name: asked })).toEqual({ name: meaning })
  })

  test('several aggregations are accepted, and an empty list means no aggregation', () => {
    expect(read({ a: { avg: { field: 'duration' } }, b: { terms: { field: 'gateway' } } })).toMatchObject({
      a: {},
      b: {},
    })
    expect(read({})).toEqual({})
    expect(read(undefined)).toBeUndefined()
  })

  const refused: readonly (readonly [unknown, string])[] = [
    ['x', 'aggs'],
    [[], 'aggs'],
    [{ a: {} }, 'aggs.a'],
    [{ a: { avg: { field: 'duration' }, sum: { field: 'duration' } } }, 'aggs.a'],
    [{ a: { top_hits: {} } }, 'aggs.a.top_hits'],
    [{ a: { global: {} } }, 'aggs.a.global'],
    [{ a: { significant_terms: { field: 'gateway' } } }, 'aggs.a.significant_terms'],
    [{ a: { composite: {} } }, 'aggs.a.composite'],
    [{ a: { terms: { field: 'domain' } } }, 'aggs.a.terms.field'],
    [{ a: { terms: { field: 'variables.x' } } }, 'aggs.a.terms.field'],
    [{ a: { terms: { field: '_index' } } }, 'aggs.a.terms.field'],
    [{ a: { terms: { field: 'any' } } }, 'aggs.a.terms.field'],
    [{ a: { terms: {} } }, 'aggs.a.terms.field'],
    [{ a: { terms: { field: 'gateway', size: 1001 } } }, 'aggs.a.terms.size'],
    [{ a: { terms: { field: 'gateway', size: 0 } } }, 'aggs.a.terms.size'],
    // With 0 the search store would show values that only calls of other tenants have.
    [{ a: { terms: { field: 'gateway', min_doc_count: 0 } } }, 'aggs.a.terms.min_doc_count'],
    [{ a: { terms: { field: 'gateway', include: '.*' } } }, 'aggs.a.terms.include'],
    [{ a: { terms: { field: 'gateway', missing: 'x' } } }, 'aggs.a.terms.missing'],
    [{ a: { terms: { field: 'gateway', order: { other: 'asc' } } } }, 'aggs.a.terms.order'],
    [{ a: { terms: { field: 'gateway', order: { _key: 'up' } } } }, 'aggs.a.terms.order._key'],
    [{ a: { terms: { field: 'gateway', order: [] } } }, 'aggs.a.terms.order'],
    [{ a: { histogram: { field: 'duration', interval: 1e-9 } } }, 'aggs.a.histogram.interval'],
    [{ a: { date_histogram: { field: 'duration', interval: 'day' } } }, 'aggs.a.date_histogram.field'],
    [{ a: { date_histogram: { field: 'created_time' } } }, 'aggs.a.date_histogram'],
    [{ a: { date_histogram: { field: 'created_time', interval: '2M' } } }, 'aggs.a.date_histogram.interval'],
    [
      { a: { date_histogram: { field: 'created_time', calendar_interval: '2d' } } },
      'aggs.a.date_histogram.calendar_interval',
    ],
    [
      { a: { date_histogram: { field: 'created_time', fixed_interval: 'day' } } },
      'aggs.a.date_histogram.fixed_interval',
    ],
    [
      { a: { date_histogram: { field: 'created_time', interval: 'day', time_zone: 'x' } } },
      'aggs.a.date_histogram.time_zone',
    ],
    [
      { a: { date_histogram: { field: 'created_time', interval: 'day', extended_bounds: {} } } },
      'aggs.a.date_histogram.extended_bounds',
    ],
    [{ a: { date_histogram: { field: 'created_time', fixed_interval: '1s' } } }, 'aggs.a.date_histogram'],
    [{ a: { histogram: { field: 'duration', interval: 0 } } }, 'aggs.a.histogram.interval'],
    [{ a: { histogram: { field: 'gateway', interval: 1 } } }, 'aggs.a.histogram.field'],
    [{ a: { avg: { field: 'gateway' } } }, 'aggs.a.avg.field'],
    [{ a: { sum: { field: 'created_time' } } }, 'aggs.a.sum.field'],
    [{ a: { avg: { field: 'duration', missing: 0 } } }, 'aggs.a.avg.missing'],
    [{ a: { percentiles: { field: 'duration', percents: [101] } } }, 'aggs.a.percentiles.percents'],
    [{ a: { range: { field: 'duration', ranges: [] } } }, 'aggs.a.range.ranges'],
    [{ a: { range: { field: 'duration', ranges: [{}] } } }, 'aggs.a.range.ranges[0]'],
    [{ a: { range: { field: 'duration', ranges: [{ from: 'now' }] } } }, 'aggs.a.range.ranges[0]'],
    [{ a: { filters: { filters: [{ match_all: {} }] } } }, 'aggs.a.filters.filters'],
    [{ a: { filters: { filters: { x: { regexp: {} } } } } }, 'aggs.a.filters.filters.x.regexp'],
    [{ a: { avg: { field: 'duration' }, aggs: { b: { avg: { field: 'duration' } } } } }, 'aggs.a'],
    [{ a: { terms: { field: 'gateway' }, aggs: { doc_count: { avg: { field: 'duration' } } } } }, 'aggs.a.aggs'],
    [{ _a: { avg: { field: 'duration' } } }, 'aggs'],
    [{ 'a>b': { avg: { field: 'duration' } } }, 'aggs'],
  ]

  test.each(refused)('the aggregation %j is refused, and its path is named', (aggs, field) => {
    expect(() => read(aggs)).toThrow(
      expect.objectContaining({ code: 'query_refused', details: [expect.objectContaining({ field })] }),
    )
  })

  test('aggregations can be nested three deep at most, and there can be 20 at most', () => {
    const nested = (depth: number): object => ({
      n: { terms: { field: 'leg', size: 2 }, ...(depth > 1 && { aggs: nested(depth - 1) }) },
    })
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, { avg: { field: 'duration' } }]))

    expect(read(nested(3))).toBeDefined()
    expect(() => read(nested(4))).toThrow('at most 3 deep')
    expect(read(many(20))).toBeDefined()
    expect(() => read(many(21))).toThrow('at most 20 aggregations')
  })

  test('an aggregation that could make more than 50 000 buckets is refused', () => {
    const big = (size: number, inner: object) => ({ big: { terms: { field: 'uuid', size }, aggs: inner } })
    const byMinute = { m: { date_histogram: { field: 'created_time', interval: 'minute' } } }

    expect(read(big(1000, { few: { terms: { field: 'leg', size: 50 } } }))).toBeDefined()
    expect(() => read(big(1000, { few: { terms: { field: 'leg', size: 51 } } }))).toThrow('50000 buckets')
    expect(read(byMinute, 31)).toBeDefined()
    expect(() => read(byMinute, 35)).toThrow('50000 buckets')
    expect(() => read(big(2, byMinute), 31)).toThrow('50000 buckets')
  })
})
