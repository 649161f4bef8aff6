import { describe, expect, test } from 'vitest'
import { readSearch } from '../../../core/cdr/search/search-request.ts'
import type { Clause } from '../../../core/cdr/search-plan.ts'
import { callTime } from '../../support/records/cdrs.ts'

const day = 86_400_000
const scope = { domain: 'a.example.com' }

function read(body: Readonly<Record<string, unknown>>, leg?: string) {
  return readSearch({ body, leg }, scope, callTime)
}

function planOf(body: Readonly<Record<string, unknown>>, leg?: string) {
  return read(body, leg).plan
}

const refusal = (code: string, field: string) =>
  expect.objectContaining({ code, details: [expect.objectContaining({ field })] })

test('an empty body asks for the 40 newest calls of the a legs of the last 31 days', () => {
  expect(read({})).toEqual({
    plan: {
      domain: 'a.example.com',
      presenceId: undefined,
      legs: ['a'],
      from: callTime - 31 * day,
      to: callTime + day,
      query: { kind: 'all' },
      limit: 40,
      skip: 0,
      sort: [
        { field: 'created_time', order: 'desc' },
        { field: 'uuid', order: 'asc' },
      ],
      aggregations: undefined,
    },
    columns: undefined,
    isDefaultRange: true,
    isScrolled: false,
  })
})

test('the request body of an existing client is accepted', () => {
  const body = {
    columns: ['created_time', 'caller_id_number', 'extension', 'duration', 'hangup_cause'],
    filter: [
      { bool: { must: [{ range: { created_time: { gte: 'now-2h/h', lte: 'now' } } }], must_not: [] } },
      { query_string: { analyze_wildcard: true, default_field: '*', query: '4416*' } },
    ],
    index: 'cdr-a',
    limit: 40,
    query: '*',
    sort: { created_time: { order: 'desc', unmapped_type: 'boolean' } },
  }

  const { plan, isDefaultRange } = read(body)

  expect(isDefaultRange).toBe(false)
  expect(plan).toMatchObject({ from: callTime - 7_200_000, to: callTime, limit: 40 })
  expect(plan.query).toMatchObject({
    kind: 'bool',
    must: [{ kind: 'bool' }, { kind: 'wildcard', field: 'any', pattern: '4416*' }],
  })
})

describe('scope', () => {
  test("the scope of a search is limited to the caller's CDRs, whatever the body says", () => {
    const body = { domain: 'other', domain_name: 'other', presenceId: 'x', legs: ['b'], from: 5, to: 5, after: ['x'] }

    expect(readSearch({ body }, { domain: null }, callTime).plan).toMatchObject({
      domain: undefined,
      legs: ['a'],
      skip: 0,
    })
    expect(readSearch({ body }, { ...scope, presenceId: 'me' }, callTime).plan).toMatchObject({
      ...scope,
      presenceId: 'me',
    })
    expect(planOf(body).after).toBeUndefined()
  })

  const legs = [
    [undefined, undefined, ['a']],
    ['', undefined, ['a']],
    ['cdr-a', undefined, ['a']],
    ['cdr-b', undefined, ['b']],
    ['cdr-*', undefined, ['a', 'b']],
    ['cdr-b', 'a', ['a']],
    ['anything', '*', ['a', 'b']],
  ] as const

  test.each(legs)('the index %s with the leg %s means the legs %s', (index, leg, expected) => {
    expect(planOf({ index }, leg).legs).toEqual(expected)
  })

  test.each(['cdr', 'cdr-', 'cdr-c', 'cdr-a-2026-01', 'a', '*', ' ', 'CDR-A'])('the index %s is not there', (index) => {
    expect(() => planOf({ index })).toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  test('an index that is not text and an unknown leg are refused', () => {
    expect(() => planOf({ index: 5 })).toThrow(refusal('invalid_field', 'index'))
    expect(() => planOf({}, 'c')).toThrow(refusal('invalid_field', 'leg'))
  })
})

const eq = (field: string, ...values: (string | number)[]): Clause => ({ kind: 'equals', field, values })
const time = (from: number | undefined, to: number | undefined): Clause => ({
  kind: 'range',
  field: 'created_time',
  from: from === undefined ? undefined : { value: from, isInclusive: true },
  to: to === undefined ? undefined : { value: to, isInclusive: true },
})
const numbers = (from: unknown, to: unknown) => ({ kind: 'range', field: 'duration', from, to })
const bound = (value: number, isInclusive = true) => ({ value, isInclusive })
const bool = (parts: object) => ({ kind: 'bool', must: [], mustNot: [], should: [], leastShould: 0, ...parts })
const noon = callTime

describe('clauses', () => {
  const clauses: readonly (readonly [unknown, unknown])[] = [
    [{ term: { gateway: 'x' } }, eq('gateway', 'x')],
    [{ term: { gateway: { value: 'x', boost: 2 } } }, eq('gateway', 'x')],
    [{ term: { duration: 5 } }, eq('duration', 5)],
    [{ term: { duration: '5' } }, eq('duration', 5)],
    [{ term: { duration: 5.5 } }, { kind: 'none' }],
    [{ term: { caller_id_number: 1000 } }, eq('caller_id_number', '1000')],
    [{ term: { 'variables.x': true } }, eq('variables.x', 'true')],
    [{ term: { quality_percentage_audio: 99.5 } }, eq('quality_percentage_audio', 99.5)],
    [{ term: { unknown: 'x' } }, { kind: 'none' }],
    [{ term: { _id: 'x' } }, eq('uuid', 'x')],
    [{ term: { created_time: noon } }, time(noon, noon)],
    [{ term: { created_time: '2026-01-15' } }, time(Date.UTC(2026, 0, 15), Date.UTC(2026, 0, 16) - 1)],
    [{ terms: { gateway: ['x', 'y'], boost: 1 } }, eq('gateway', 'x', 'y')],
    [{ terms: { duration: [1, '2', 3.5] } }, eq('duration', 1, 2)],
    [{ terms: { gateway: [] } }, { kind: 'none' }],
    [
      { terms: { created_time: [1, 2].map((hours) => noon + hours) } },
      bool({ should: [time(noon + 1, noon + 1), time(noon + 2, noon + 2)], leastShould: 1 }),
    ],
    [{ match: { caller_id_name: 'Ann Lee' } }, eq('caller_id_name', 'Ann Lee')],
    [{ match: { caller_id_name: { query: 'Ann Lee', operator: 'and' } } }, eq('caller_id_name', 'Ann Lee')],
    [{ match_phrase: { caller_id_name: { query: 'Ann Lee', slop: 2 } } }, eq('caller_id_name', 'Ann Lee')],
    [{ match: { '*': 'Ann' } }, eq('any', 'Ann')],
    [{ prefix: { gateway: 'x*' } }, { kind: 'prefix', field: 'gateway', text: 'x*' }],
    [{ prefix: { gateway: { value: 'x' } } }, { kind: 'prefix', field: 'gateway', text: 'x' }],
    [{ wildcard: { gateway: '*x?' } }, { kind: 'wildcard', field: 'gateway', pattern: '*x?' }],
    [{ wildcard: { gateway: { value: 'x*' } } }, { kind: 'wildcard', field: 'gateway', pattern: 'x*' }],
    [
      { wildcard: { gateway: { wildcard: 'x*', rewrite: 'constant_score' } } },
      { kind: 'wildcard', field: 'gateway', pattern: 'x*' },
    ],
    [{ wildcard: { duration: '*' } }, { kind: 'exists', field: 'duration' }],
    [{ exists: { field: 'recordings.name' } }, { kind: 'exists', field: 'recordings.name' }],
    [{ exists: { field: 'unknown' } }, { kind: 'none' }],
    [{ ids: { values: ['x', 'y'], type: 'cdr' } }, eq('uuid', 'x', 'y')],
    [{ query_string: { query: 'x', default_field: 'gateway' } }, eq('gateway', 'x')],
    [
      { query_string: { query: 'x', fields: ['gateway^3', 'source'] } },
      bool({ should: [eq('gateway', 'x'), eq('source', 'x')], leastShould: 1 }),
    ],
    [
      { query_string: { query: '"x" "y"', default_operator: 'AND', allow_leading_wildcard: true } },
      bool({ must: [eq('any', 'x'), eq('any', 'y')] }),
    ],
    [{ query_string: { query: '' } }, { kind: 'none' }],
    [
      { query_string: { query: 'created_time:2026-01-15', time_zone: '+02:00' } },
      time(Date.UTC(2026, 0, 14, 22), Date.UTC(2026, 0, 15, 22) - 1),
    ],
    [{ range: { duration: { gte: 5, lt: 10 } } }, numbers(bound(5), bound(10, false))],
    [{ range: { duration: { gt: '5', lte: 10.5, boost: 1 } } }, numbers(bound(5, false), bound(10.5))],
    [{ range: { duration: { from: 5, to: 10 } } }, numbers(bound(5), bound(10))],
    [
      { range: { duration: { from: 5, to: 10, include_lower: false, include_upper: false } } },
      numbers(bound(5, false), bound(10, false)),
    ],
    [{ range: { duration: { from: null, to: 10 } } }, numbers(undefined, bound(10))],
    [{ range: { duration: {} } }, numbers(undefined, undefined)],
    [{ range: { duration: { gte: 1e15 } } }, numbers(bound(2 ** 31 - 1, false), undefined)],
    [{ range: { duration: { gte: -1e15, lte: 1e15 } } }, numbers(bound(1 - 2 ** 31), bound(2 ** 31 - 1))],
    [{ range: { unknown: { gte: 5 } } }, { kind: 'none' }],
    [
      { range: { gateway: { gte: 'a', lt: 5 } } },
      {
        kind: 'range',
        field: 'gateway',
        from: { value: 'a', isInclusive: true },
        to: { value: '5', isInclusive: false },
      },
    ],
    [{ bool: {} }, bool({})],
    [
      { bool: { must: { term: { gateway: 'x' } }, filter: [{ term: { leg: 'a' } }] } },
      bool({ must: [eq('gateway', 'x'), eq('leg', 'a')] }),
    ],
    [{ bool: { should: [{ term: { gateway: 'x' } }] } }, bool({ should: [eq('gateway', 'x')], leastShould: 1 })],
    [
      { bool: { should: [{ term: { gateway: 'x' } }], minimum_should_match: 0 } },
      bool({ should: [eq('gateway', 'x')], leastShould: 1 }),
    ],
    [
      { bool: { should: [{ term: { gateway: 'x' } }], must: [{ term: { leg: 'a' } }] } },
      bool({ must: [eq('leg', 'a')], should: [eq('gateway', 'x')] }),
    ],
    [
      { bool: { should: [{ term: { gateway: 'x' } }], must: [{ term: { leg: 'a' } }], minimum_should_match: '1' } },
      bool({ must: [eq('leg', 'a')], should: [eq('gateway', 'x')], leastShould: 1 }),
    ],
    [
      { bool: { must_not: { exists: { field: 'gateway' } }, boost: 1, adjust_pure_negative: true } },
      bool({ mustNot: [{ kind: 'exists', field: 'gateway' }] }),
    ],
  ]

  test.each(clauses)('the search clause %j is read correctly', (clause, meaning) => {
    const { query } = planOf({ filter: [clause, { range: { created_time: { gte: 'now-400d', lte: 'now+1d' } } }] })

    expect(query.kind === 'bool' ? query.must[0] : query).toEqual(meaning)
  })

  test('a single filter means the same as a list of one', () => {
    const filter = { term: { gateway: 'x' } }

    expect(planOf({ filter }).query).toEqual(planOf({ filter: [filter] }).query)
    expect(planOf({ filter: [] }).query).toEqual({ kind: 'all' })
    expect(planOf({ query: 'y', filter }).query).toEqual(bool({ must: [eq('any', 'y'), eq('gateway', 'x')] }))
  })

  const refused: readonly (readonly [unknown, string])[] = [
    ['x', 'filter'],
    [null, 'filter'],
    [{}, 'filter'],
    [[[]], 'filter[0]'],
    [[{ term: { a: 1 }, terms: { a: [1] } }], 'filter[0]'],
    [{ match_all: {} }, 'filter.match_all'],
    [{ regexp: { gateway: 'x' } }, 'filter.regexp'],
    [{ nested: { path: 'recordings', query: {} } }, 'filter.nested'],
    [{ constant_score: { filter: {} } }, 'filter.constant_score'],
    [{ multi_match: { query: 'x' } }, 'filter.multi_match'],
    [{ term: {} }, 'filter.term'],
    [{ term: { gateway: 'x', source: 'y' } }, 'filter.term'],
    [{ term: { gateway: { value: 'x', case_insensitive: true } } }, 'filter.term.gateway.case_insensitive'],
    [{ term: { gateway: ['x'] } }, 'filter.term.gateway'],
    [{ term: { gateway: null } }, 'filter.term.gateway'],
    [{ term: { duration: 'long' } }, 'filter.term.duration'],
    [{ term: { duration: true } }, 'filter.term.duration'],
    [{ term: { _index: 'x' } }, 'filter.term._index'],
    [{ term: { gateway: 'x'.repeat(1025) } }, 'filter.term.gateway'],
    [{ terms: { gateway: 'x' } }, 'filter.terms.gateway'],
    [{ terms: { gateway: Array.from({ length: 1001 }, String) } }, 'filter.terms.gateway'],
    [{ prefix: { duration: '1' } }, 'filter.prefix.duration'],
    [{ prefix: { gateway: 5 } }, 'filter.prefix.gateway'],
    [{ wildcard: { created_time: '2026*' } }, 'filter.wildcard.created_time'],
    [{ exists: { field: '_source' } }, 'filter.exists.field'],
    [{ exists: {} }, 'filter.exists.field'],
    [{ exists: { field: 'gateway', query: {} } }, 'filter.exists.query'],
    [{ ids: { values: 'x' } }, 'filter.ids.values'],
    [{ range: { duration: 5 } }, 'filter.range.duration'],
    [{ range: { duration: { gte: 1, gt: 2 } } }, 'filter.range.duration'],
    [{ range: { duration: { above: 1 } } }, 'filter.range.duration.above'],
    [{ range: { created_time: { gte: 'x' } } }, 'filter.range.created_time'],
    [{ range: { created_time: { gte: true } } }, 'filter.range.created_time'],
    [{ range: { created_time: { gte: 'now', time_zone: 'Mars/Base' } } }, 'filter.range.created_time.time_zone'],
    [{ range: { created_time: { gte: 'now', format: 'dd/MM/yyyy' } } }, 'filter.range.created_time.format'],
    [{ bool: [] }, 'filter.bool'],
    [{ bool: { must: 'x' } }, 'filter.bool.must'],
    [{ bool: { must: [{ term: { gateway: 'x' } }, null] } }, 'filter.bool.must[1]'],
    [{ bool: { minimum_should_match: '50%' } }, 'filter.bool.minimum_should_match'],
    [{ bool: { minimum_should_match: -1 } }, 'filter.bool.minimum_should_match'],
    [{ bool: { should_not: [] } }, 'filter.bool.should_not'],
    [{ query_string: 'x' }, 'filter.query_string'],
    [{ query_string: { query: 5 } }, 'filter.query_string.query'],
    [{ query_string: { query: 'x', analyzer: 'y' } }, 'filter.query_string.analyzer'],
    [{ query_string: { query: 'x', default_field: '_index' } }, 'filter.query_string.default_field'],
    [{ query_string: { query: 'x', default_field: 'a*' } }, 'filter.query_string.default_field'],
    [{ query_string: { query: 'x', default_operator: 'XOR' } }, 'filter.query_string.default_operator'],
    [{ query_string: { query: 'x', fields: [] } }, 'filter.query_string.fields'],
    [{ query_string: { query: 'x', fields: ['_all'] } }, 'filter.query_string.fields[0]'],
  ]

  test.each(refused)('the filter %j is refused, and its place is named', (filter, field) => {
    expect(() => planOf({ filter })).toThrow(refusal('query_refused', field))
  })

  test('scripts and prototype names are refused wherever they are in a search', () => {
    const bodies = [
      { filter: { script: {} } },
      { ignored: { deep: [{ script: 'x' }] } },
      { script_fields: {} },
      { aggs: { a: { scripted_metric: {} } } },
      { sort: { _script: {} } },
      { runtime_mappings: {} },
      { ignored: { constructor: {} } },
      JSON.parse('{"filter":{"term":{"__proto__":"x"}}}'),
    ]

    for (const body of bodies) expect(() => planOf(body)).toThrow(expect.objectContaining({ code: 'query_refused' }))
    expect(planOf({ query: 'variables.script:x' }).query).toEqual(eq('variables.script', 'x'))
  })

  test('search clauses can be nested 8 deep at most, including those in the query text', () => {
    const nested = (depth: number, inner: object): object =>
      depth === 0 ? inner : { bool: { must: nested(depth - 1, inner) } }

    expect(planOf({ filter: nested(7, { term: { gateway: 'x' } }) }).query.kind).toBe('bool')
    expect(() => planOf({ filter: nested(8, { term: { gateway: 'x' } }) })).toThrow('at most 8 deep')
    expect(planOf({ filter: nested(6, { query_string: { query: '(x)' } }) }).query.kind).toBe('bool')
    expect(() => planOf({ filter: nested(6, { query_string: { query: '((x))' } }) })).toThrow('at most 8 deep')
  })

  test('a search has at most 100 clauses in all its parts together', () => {
    const filter = (count: number) => Array.from({ length: count }, () => ({ term: { gateway: 'x' } }))

    expect(planOf({ filter: filter(99), query: 'x' }).query).toMatchObject({ must: { length: 100 } })
    expect(() => planOf({ filter: filter(100), query: 'x' })).toThrow('at most 100 clauses')
    const counted = { by: { filters: { filters: { one: { term: { gateway: 'x' } } } } } }
    expect(() => planOf({ filter: filter(99), query: 'x', aggs: counted })).toThrow('at most 100 clauses')
  })
})

describe('time', () => {
  const range = (ends: object) => ({ filter: [{ range: { created_time: ends } }] })

  const ranges: readonly (readonly [Readonly<Record<string, unknown>>, number, number])[] = [
    [range({ gte: '2026-01-01', lte: '2026-01-10' }), Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 11) - 1],
    [range({ gt: '2026-01-01', lt: '2026-01-10' }), Date.UTC(2026, 0, 2), Date.UTC(2026, 0, 10) - 1],
    [
      range({ gte: '2026-01-01', lt: '2026-01-10', time_zone: 'Europe/Kyiv' }),
      Date.UTC(2025, 11, 31, 22),
      Date.UTC(2026, 0, 9, 22) - 1,
    ],
    [range({ gte: '2026-01-01T00:00:00Z', lte: 'now', time_zone: '+05:00' }), Date.UTC(2026, 0, 1), noon],
    [range({ gte: noon - day, lte: noon, format: 'epoch_millis' }), noon - day, noon],
    [range({ gte: String(noon - day), lte: noon }), noon - day, noon],
    [range({ gte: (noon - day) / 1000, lte: noon / 1000, format: 'epoch_second' }), noon - day, noon],
    [
      range({ gte: '2026-01-01 00:00:00', lt: '2026-01-02', format: 'yyyy-MM-dd HH:mm:ss||yyyy-MM-dd' }),
      Date.UTC(2026, 0, 1),
      Date.UTC(2026, 0, 2) - 1,
    ],
    [range({ gte: 'now-1d/d' }), Date.UTC(2026, 0, 14), noon + day],
    [range({ gte: 'now-400d' }), noon - 400 * day, noon + day],
    [range({ gte: 'now-1d', lte: 'now+5y' }), noon - day, noon + day],
    [range({ gte: 'now/M', lte: 'now/M' }), Date.UTC(2026, 0, 1), noon + day],
    [{ query: 'created_time:[now-2d TO now-1d] AND x' }, noon - 2 * day, noon - day],
    [{ query: 'created_time:(>now-60d AND <now-50d)' }, noon - 60 * day + 1, noon - 50 * day - 1],
    [{ query: 'created_time:[now-60d TO now-50d] OR created_time:[now-2d TO now-1d]' }, noon - 60 * day, noon - day],
    [{ query: 'created_time:[now-60d TO now]', ...range({ gte: 'now-50d' }) }, noon - 50 * day, noon],
    [
      { filter: { bool: { filter: { bool: { must: range({ gte: 'now-50d' }).filter } } } } },
      noon - 50 * day,
      noon + day,
    ],
  ]

  test.each(ranges)('the time span of %j is known', (body, from, to) => {
    expect(read(body)).toMatchObject({ plan: { from, to }, isDefaultRange: false })
  })

  const unbounded = [
    { query: 'created_time:[now-60d TO now] OR x' },
    { query: '-created_time:[now-60d TO now]' },
    { filter: { bool: { must_not: range({ gte: 'now-60d' }).filter } } },
    { filter: { bool: { must: { term: { leg: 'a' } }, should: range({ gte: 'now-60d' }).filter } } },
    { filter: { exists: { field: 'created_time' } } },
    range({}),
    { query: 'created_time:[* TO *]' },
  ]

  test.each(unbounded)('a query such as %j does not limit the time, so the last 31 days are searched', (body) => {
    expect(read(body)).toMatchObject({ plan: { from: noon - 31 * day, to: noon + day }, isDefaultRange: true })
  })

  test.each([
    range({ gte: 'now-401d' }),
    range({ gte: '2020-01-01', lte: '2022-01-01' }),
    range({ lte: 'now' }),
    { query: 'created_time:<2026-01-01' },
    { query: 'created_time:2020 OR created_time:2026' },
  ])('a time span such as %j is wider than 400 days and refused', (body) => {
    expect(() => read(body)).toThrow(refusal('query_refused', 'created_time'))
  })

  test.each([range({ gt: 2, lt: 1 }), { query: 'created_time:2020 AND created_time:2026' }, range({ gte: 'now+5d' })])(
    '%j has no time in it and finds nothing',
    (body) => {
      expect(read(body)).toMatchObject({
        plan: { from: noon, to: noon, query: { kind: 'none' } },
        isDefaultRange: false,
      })
    },
  )
})

describe('pages, order and columns', () => {
  test('the limit and page number of a search cover 10 000 hits at most', () => {
    expect(planOf({ limit: 0 })).toMatchObject({ limit: 0, skip: 0 })
    expect(planOf({ limit: 1000, pageNumber: 10 })).toMatchObject({ limit: 1000, skip: 9000 })
    expect(planOf({ pageNumber: 3 })).toMatchObject({ limit: 40, skip: 80 })
    expect(() => planOf({ limit: 1000, pageNumber: 11 })).toThrow(refusal('invalid_field', 'pageNumber'))
    for (const limit of [-1, 0.5, '10', 1001, null, Infinity, true]) {
      expect(() => planOf({ limit })).toThrow(refusal('invalid_field', 'limit'))
    }
    for (const pageNumber of [0, -1, 1.5, '1', null, 2 ** 53]) {
      expect(() => planOf({ pageNumber })).toThrow(refusal('invalid_field', 'pageNumber'))
    }
  })

  test('every sort order of a search ends with the uuid', () => {
    const sortOf = (sort: unknown) => planOf({ sort }).sort.map(({ field, order }) => `${field} ${order}`)

    expect(sortOf({})).toEqual(['created_time desc', 'uuid asc'])
    expect(sortOf({ duration: { order: 'asc' } })).toEqual(['duration asc', 'uuid asc'])
    expect(sortOf({ gateway: 'desc', duration: {} })).toEqual(['gateway desc', 'duration asc', 'uuid asc'])
    expect(sortOf({ uuid: 'desc' })).toEqual(['uuid desc'])
    expect(sortOf({ _id: 'desc', duration: 'asc' })).toEqual(['uuid desc', 'duration asc'])
    expect(sortOf({ unknown: { order: 'desc', unmapped_type: 'long' } })).toEqual(['uuid asc'])
    expect(sortOf({ duration: { order: 'asc', missing: '_last' } })).toEqual(['duration asc', 'uuid asc'])
  })

  const badSorts: readonly (readonly [unknown, string])[] = [
    ['created_time', 'sort'],
    [[{ created_time: 'asc' }], 'sort'],
    [{ created_time: { order: 'DROP' } }, 'sort.created_time.order'],
    [{ created_time: 'up' }, 'sort.created_time.order'],
    [{ created_time: null }, 'sort.created_time'],
    [{ created_time: { missing: '_first' } }, 'sort.created_time.missing'],
    [{ created_time: { mode: 'min' } }, 'sort.created_time.mode'],
    [{ unknown: 'asc' }, 'sort.unknown'],
    [{ 'variables.x': 'asc' }, 'sort.variables.x'],
    [{ 'recordings.size': 'asc' }, 'sort.recordings.size'],
    [Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`f${index}`, 'asc'])), 'sort'],
  ]

  test.each(badSorts)('the order %j is refused', (sort, field) => {
    expect(() => planOf({ sort })).toThrow(refusal('invalid_field', field))
  })

  test.each(['_score', '_doc', '_shard_doc', '__proto__x'])('a search of CDRs cannot be ordered by %s', (name) => {
    expect(() => planOf({ sort: { [name]: 'asc' } })).toThrow(refusal('query_refused', `sort.${name}`))
  })

  test('the columns of a search are 1 to 100 different names', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `variables.c${index}`)

    expect(read({ columns: ['uuid', 'uuid', '_id', 'queue.name'] }).columns).toEqual(['uuid', '_id', 'queue.name'])
    expect(read({ columns: many(100) }).columns).toHaveLength(100)
    for (const columns of ['uuid', [], many(101), null, {}]) {
      expect(() => read({ columns })).toThrow(refusal('invalid_field', 'columns'))
    }
    for (const name of ['', 5, null, '_source', '_index', 'x'.repeat(257), 'anything', 'variables.', 'constructor']) {
      expect(() => read({ columns: ['uuid', name] })).toThrow(refusal('invalid_field', 'columns[1]'))
    }
  })

  test('the member scroll of a search must be true or false', () => {
    expect(read({ scroll: true }).isScrolled).toBe(true)
    expect(read({ scroll: false }).isScrolled).toBe(false)
    expect(() => read({ scroll: '1m' })).toThrow(refusal('invalid_field', 'scroll'))
  })
})
