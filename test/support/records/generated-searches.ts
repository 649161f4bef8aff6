/** CDRs and searches for them, drawn at random from few values, so that they often meet. */
import * as fc from 'fast-check'
import type { Cdr } from '../../../core/cdr/cdr.ts'
import type { Aggregation, Clause, SearchPlan, SortKey } from '../../../core/cdr/search-plan.ts'
import { aCdr, aPlan, callTime } from './cdrs.ts'

const day = 86_400_000

/** Texts with what means something to patterns, to SQL, to lists and to the terms of variables. */
const texts = [
  '',
  'Ann',
  'ann',
  'Ann Lee',
  'A*n?',
  '\\',
  "O'Neil",
  '%_',
  'a=b',
  'Ünï😀',
  '😀',
  'a\u001fb',
  '\u001e1',
  '10',
  '9',
]
const text = fc.constantFrom(...texts)
const whole = fc.constantFrom(0, 1, 2, 9, 10, 65, -3)
/** Halves: sums of them are exact, in any order. */
const decimal = fc.constantFrom(0, 0.5, 99.5, 100)
const time = fc.constantFrom(...[0, 1, 3_600_000, day, 31 * day, -40 * day, 70 * day].map((span) => callTime + span))
const absent = { nil: undefined }

const recording = fc.record({
  name: text,
  contentType: fc.constantFrom('audio/wav', 'audio/mpeg'),
  size: whole,
  state: fc.constantFrom('expected', 'stored', 'failed', 'deleted'),
})

const variableNames = ['order', 'sip_h_X-Id', 'a=b', 'a', '%', 'a.b', 'a*']

/** CDRs of one domain; each has a uuid of its own. */
export function generatedCdrs(domain: string): fc.Arbitrary<Cdr[]> {
  const one = fc.record({
    created_time: time,
    leg: fc.constantFrom('a', 'b'),
    presence_id: text,
    caller_id_name: fc.option(text, absent),
    caller_id_number: fc.option(text, absent),
    gateway: fc.option(text, absent),
    duration: fc.option(whole, absent),
    billsec: fc.option(whole, absent),
    quality_percentage_audio: fc.option(decimal, absent),
    recordings: fc.option(fc.array(recording, { maxLength: 3 }), absent),
    variables: fc.dictionary(fc.constantFrom(...variableNames), text, { maxKeys: 3 }),
  })
  return fc.array(one, { minLength: 12, maxLength: 25 }).map((cdrs) => {
    const all = cdrs.map((given, index) => aCdr({ ...given, domain_name: domain, uuid: `uuid-${index}` }))
    return all.map((cdr) => JSON.parse(JSON.stringify(cdr)) as Cdr)
  })
}

const textFields = [
  'presence_id',
  'caller_id_name',
  'caller_id_number',
  'gateway',
  'transfer_disposition',
  'recordings.name',
  'recordings.state',
  'any',
  ...variableNames.map((name) => `variables.${name}`),
]
const numberFields = ['duration', 'billsec', 'quality_percentage_audio', 'recordings.size', 'created_time']

const pattern = fc
  .array(fc.constantFrom('*', '?', '\\*', '\\?', '\\\\', 'A', 'n', 'Ann', '😀', '=', 'a', '10'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.join(''))

const isInclusive = fc.boolean()

function ends<T extends string | number>(value: fc.Arbitrary<T>) {
  const bound = fc.option(fc.record({ value, isInclusive }), absent)
  return { from: bound, to: bound }
}

const numberField = fc.constantFrom(...numberFields).chain((field) => {
  const value = field === 'created_time' ? time : fc.oneof(whole, decimal)
  return fc.oneof(
    fc.record({
      kind: fc.constant('equals'),
      field: fc.constant(field),
      values: fc.array(value, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('range'), field: fc.constant(field), ...ends(value) }),
    fc.record({ kind: fc.constant('exists'), field: fc.constant(field) }),
  )
})

const textField = fc.constantFrom(...textFields).chain((name) => {
  const field = fc.constant(name)
  return fc.oneof(
    fc.record({ kind: fc.constant('equals'), field, values: fc.array(text, { minLength: 1, maxLength: 6 }) }),
    fc.record({ kind: fc.constant('range'), field, ...ends(text) }),
    fc.record({ kind: fc.constant('prefix'), field, text }),
    fc.record({ kind: fc.constant('wildcard'), field, pattern }),
    fc.record({ kind: fc.constant('exists'), field }),
  )
})

/** Conditions of every kind, up to four deep. */
const generatedClause: fc.Arbitrary<Clause> = fc.letrec<{ clause: Clause }>((tie) => {
  const some = fc.array(tie('clause'), { maxLength: 3 })
  const bool = fc.record({
    kind: fc.constant('bool'),
    must: some,
    mustNot: some,
    should: some,
    leastShould: fc.constantFrom(0, 0, 1, 2),
  })
  const plain = fc.constantFrom({ kind: 'all' }, { kind: 'none' })
  return {
    clause: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      { weight: 6, arbitrary: textField },
      { weight: 4, arbitrary: numberField },
      { weight: 1, arbitrary: plain },
      { weight: 5, arbitrary: bool },
    ),
  }
}).clause

const sortFields = [
  'created_time',
  'duration',
  'quality_percentage_audio',
  'caller_id_name',
  'gateway',
  'recordings.size',
  'recordings.name',
]

const sort = fc
  .uniqueArray(fc.constantFrom(...sortFields), { maxLength: 3 })
  .chain((fields) =>
    fc.tuple(...fields.map((field) => fc.record({ field: fc.constant(field), order: fc.constantFrom('asc', 'desc') }))),
  )
  .map((keys): readonly SortKey[] => keys.concat({ field: 'uuid', order: 'asc' }))

const aggregationField = fc.constantFrom(
  'duration',
  'billsec',
  'quality_percentage_audio',
  'recordings.size',
  'created_time',
)
const termsField = fc.constantFrom('gateway', 'caller_id_name', 'duration', 'created_time', 'recordings.state', 'leg')
const leastCount = fc.constantFrom(0, 1, 2)
const zones = fc.constantFrom(undefined, '+02:00', '-05:30', 'Europe/Berlin')

const metric = fc.oneof(
  fc.record({ kind: fc.constantFrom('avg', 'sum', 'min', 'max'), field: aggregationField }),
  fc.record({ kind: fc.constant('cardinality'), field: termsField }),
)

const grouping = fc.oneof(
  fc.record({
    kind: fc.constant('terms'),
    field: termsField,
    size: fc.constantFrom(1, 3, 100),
    leastCount: fc.constantFrom(1, 2),
  }),
  fc.record({
    kind: fc.constant('date_histogram'),
    field: fc.constant('created_time'),
    interval: fc.oneof(
      fc.record({ unit: fc.constantFrom('hour', 'day', 'week', 'month', 'quarter', 'year') }),
      fc.record({ milliseconds: fc.constantFrom(3_600_000, 6 * 3_600_000, 7 * day) }),
    ),
    timeZone: zones,
    leastCount: fc.constantFrom(1, 2),
  }),
  fc.record({
    kind: fc.constant('histogram'),
    field: fc.constantFrom('duration', 'quality_percentage_audio', 'recordings.size'),
    interval: fc.constantFrom(1, 5, 0.5),
    leastCount,
  }),
  fc.record({
    kind: fc.constant('range'),
    field: aggregationField,
    ranges: fc.constantFrom(
      [{ to: 1 }, { from: 1, to: 10 }, { from: 10 }],
      [
        { key: 'named', from: 0.5, to: 65 },
        { from: 0, to: 100 },
      ],
    ),
  }),
  fc.record({
    kind: fc.constant('filters'),
    filters: fc.dictionary(fc.constantFrom('one', 'two'), generatedClause, { minKeys: 1, maxKeys: 2 }),
  }),
)

const aggregations = fc.letrec<{ all: Record<string, Aggregation> }>((tie) => {
  const one = fc.oneof(
    metric,
    fc
      .tuple(grouping, fc.option(tie('all'), { ...absent, maxDepth: 2 }))
      .map(([kind, within]) => Object.assign(kind, { within })),
  )
  const all = fc.dictionary(fc.constantFrom('x', 'y'), one as fc.Arbitrary<Aggregation>, { minKeys: 1, maxKeys: 2 })
  return { all }
}).all

/** Searches of one domain. */
export function generatedPlan(domain: string): fc.Arbitrary<SearchPlan> {
  return fc
    .record({
      legs: fc.constantFrom<SearchPlan['legs'][]>(['a'], ['b'], ['a', 'b'], ['a', 'b']),
      query: generatedClause,
      sort,
      limit: fc.constantFrom(0, 1, 3, 100),
      skip: fc.constantFrom(0, 0, 1, 4),
      presenceId: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 'Ann'),
      from: fc.constantFrom(callTime - 50 * day, callTime - 50 * day, callTime, callTime + 1),
      to: fc.constantFrom(callTime + 80 * day, callTime + 80 * day, callTime + day, callTime),
      aggregations: fc.option(aggregations, absent),
    })
    .map((given) => aPlan({ domain, ...given }))
}
