import { describe, expect, test } from 'vitest'
import { matches } from '../../support/memory/cdr-matches.ts'
import type { Cdr } from '../../../core/cdr/cdr.ts'
import type { Clause } from '../../../core/cdr/search-plan.ts'
import { fieldOf } from '../../../core/cdr/search/field-conditions.ts'
import { readQueryText } from '../../../core/cdr/search/query-text.ts'
import { searchBudget } from '../../../core/cdr/search/search-budget.ts'
import { aCdr, callTime } from '../../support/records/cdrs.ts'

/** Reads a query at the moment at which the calls of {@link calls} begin. */
function read(text: string, given: { readonly and?: boolean; readonly fields?: readonly string[] } = {}): Clause {
  return readQueryText(text, 'query', {
    now: callTime,
    budget: searchBudget(),
    depth: 0,
    fields: (given.fields ?? ['*']).map((name) => fieldOf(name, 'query')),
    isAndDefault: given.and ?? false,
  })
}

const day = 86_400_000

/** Calls by their number; each has something that the others have not. */
const calls: readonly Cdr[] = [
  aCdr({ uuid: '1', caller_id_name: 'Ann Lee', caller_id_number: '441632960001', duration: 5 }),
  aCdr({ uuid: '2', caller_id_name: 'Bob', caller_id_number: '441632960002', duration: 10, gateway: 'carrier-1' }),
  aCdr({
    uuid: '3',
    caller_id_name: 'Ann',
    hangup_cause: 'USER_BUSY',
    duration: 0,
    variables: { order: '7', ring: 'x' },
  }),
  aCdr({ uuid: '4', caller_id_name: 'a:b*c', created_time: callTime - day, quality_percentage_audio: 99.5 }),
  aCdr({ uuid: '5', caller_id_name: 'NOT', direction: 'outbound', created_time: callTime - 40 * day, leg: 'b' }),
].map((cdr) => Object.assign(cdr, { destination_number: `20${cdr.uuid}` }))

const eq = (field: string, ...values: (string | number)[]): Clause => ({ kind: 'equals', field, values })
const any = (...values: string[]) => eq('any', ...values)
const wild = (field: string, pattern: string): Clause => ({ kind: 'wildcard', field, pattern })
const has = (field: string): Clause => ({ kind: 'exists', field })
const all: Clause = { kind: 'all' }
const none: Clause = { kind: 'none' }
const must = (...clauses: Clause[]): Clause => ({
  kind: 'bool',
  must: clauses,
  mustNot: [],
  should: [],
  leastShould: 0,
})
const not = (...clauses: Clause[]): Clause => ({ kind: 'bool', must: [], mustNot: clauses, should: [], leastShould: 0 })
const or = (...clauses: Clause[]): Clause => ({ kind: 'bool', must: [], mustNot: [], should: clauses, leastShould: 1 })
const but = (clause: Clause, ...without: Clause[]): Clause => ({
  kind: 'bool',
  must: [clause],
  mustNot: without,
  should: [],
  leastShould: 0,
})
const orBut = (clause: Clause, ...without: Clause[]): Clause => ({
  kind: 'bool',
  must: [],
  mustNot: without,
  should: [clause],
  leastShould: 1,
})
const open = undefined
const range = (
  field: string,
  from: string | number | undefined,
  to: string | number | undefined,
  ends = '[]',
): Clause => ({
  kind: 'range',
  field,
  from: from === undefined ? undefined : { value: from, isInclusive: ends.startsWith('[') },
  to: to === undefined ? undefined : { value: to, isInclusive: ends.endsWith(']') },
})
const time = (from: number | undefined, to: number | undefined): Clause => range('created_time', from, to)
const at = (...parts: [number, number, number?, number?, number?, number?, number?]) => Date.UTC(...parts)

const duration = (value: number) => eq('duration', value)
const [ann, bob, busy] = [any('Ann'), any('Bob'), eq('hangup_cause', 'USER_BUSY')]
const name = (value: string) => eq('caller_id_name', value)

/** A query, what it means, and the calls of {@link calls} that it finds. */
type Row = readonly [query: string, meaning: Clause, found: string]

const words: readonly Row[] = [
  ['*', all, '12345'],
  ['*:*', all, '12345'],
  ['(*)', all, '12345'],
  ['  *  ', all, '12345'],
  ['', none, ''],
  ['   ', none, ''],
  ['Ann', ann, '3'],
  ['ann', any('ann'), ''],
  ['"Ann Lee"', any('Ann Lee'), '1'],
  ['Ann Lee', any('Ann', 'Lee', 'Ann Lee'), '13'],
  ['Ann Lee Bob', any('Ann', 'Lee', 'Bob', 'Ann Lee Bob'), '23'],
  ['Ann  Lee', any('Ann', 'Lee', 'Ann Lee'), '13'],
  ['Ann\tBob', any('Ann', 'Bob', 'Ann Bob'), '23'],
  ['"Ann" "Bob"', or(ann, bob), '23'],
  ['""', any(''), ''],
  ['"*"', any('*'), ''],
  ['"a \\"b\\" c"', any('a "b" c'), ''],
  ['"back\\\\slash"', any('back\\slash'), ''],
  ['"AND"', any('AND'), ''],
  ['"a:b*c"', any('a:b*c'), '4'],
  ['"(x"', any('(x'), ''],
  ['441632960001', any('441632960001'), '1'],
  ['10', any('10'), '2'],
  ['99.5', any('99.5'), '4'],
  ['carrier-1', any('carrier-1'), '2'],
  ['a+b', any('a+b'), ''],
  ['a&&b', any('a&&b'), ''],
  ['a||b', any('a||b'), ''],
  ['x@y.example.com', any('x@y.example.com'), ''],
  ['#1', any('#1'), ''],
  ["O'Neil", any("O'Neil"), ''],
  ['ANDY', any('ANDY'), ''],
  ['and', any('and'), ''],
  ['Ünï😀', any('Ünï😀'), ''],
  ['a>b', any('a>b'), ''],
  ['a=b', any('a=b'), ''],
  ['Ann^2', ann, '3'],
  ['Ann^2.5 OR Bob', or(ann, bob), '23'],
  ['"Ann Lee"^3', any('Ann Lee'), '1'],
  ['(Ann OR Bob)^4', or(ann, bob), '23'],
]

const escapes: readonly Row[] = [
  ['a\\:b\\*c', any('a:b*c'), '4'],
  ['\\(x\\)', any('(x)'), ''],
  ['\\AND', any('AND'), ''],
  ['\\NOT', any('NOT'), '5'],
  ['N\\OT', any('NOT'), '5'],
  ['\\+1', any('+1'), ''],
  ['\\-1', any('-1'), ''],
  ['\\!x', any('!x'), ''],
  ['a\\ b', any('a b'), ''],
  ['Ann\\ Lee', any('Ann Lee'), '1'],
  ['\\*', any('*'), ''],
  ['\\?', any('?'), ''],
  ['a\\/b', any('a/b'), ''],
  ['a\\~2', any('a~2'), ''],
  ['a\\^2', any('a^2'), ''],
  ['\\"x\\"', any('"x"'), ''],
  ['\\\\', any('\\'), ''],
  ['\\[1\\]', any('[1]'), ''],
  ['\\u0041nn', ann, '3'],
  ['\\>5', any('>5'), ''],
  ['\\&\\& \\|\\|', any('&&', '||', '&& ||'), ''],
  ['a\\*b*', wild('any', 'a\\*b*'), ''],
  ['a\\:b\\*?', wild('any', 'a:b\\*?'), '4'],
  ['x\\\\*', wild('any', 'x\\\\*'), ''],
]

const wildcards: readonly Row[] = [
  ['4416*', wild('any', '4416*'), '12'],
  ['*0002', wild('any', '*0002'), '2'],
  ['44*01', wild('any', '44*01'), '1'],
  ['B?b', wild('any', 'B?b'), '2'],
  ['?ob', wild('any', '?ob'), '2'],
  ['???', wild('any', '???'), '12345'],
  ['**', all, '12345'],
  ['caller_id_name:A*', wild('caller_id_name', 'A*'), '13'],
  ['caller_id_name:A*\\ *', wild('caller_id_name', 'A* *'), '1'],
  ['caller_id_name:*', has('caller_id_name'), '12345'],
  ['gateway:*', has('gateway'), '2'],
  ['gateway:**', has('gateway'), '2'],
  ['duration:*', has('duration'), '12345'],
  ['quality_percentage_audio:*', has('quality_percentage_audio'), '4'],
  ['created_time:*', has('created_time'), '12345'],
  ['variables.order:*', has('variables.order'), '3'],
  ['variables.ring:?', wild('variables.ring', '?'), '3'],
  ['Ann* Bob', or(wild('any', 'Ann*'), bob), '123'],
]

const fields: readonly Row[] = [
  ['caller_id_name:Ann', name('Ann'), '3'],
  ['caller_id_name: Ann', name('Ann'), '3'],
  ['caller_id_name :Ann', name('Ann'), '3'],
  ['caller_id_name:"Ann Lee"', name('Ann Lee'), '1'],
  ['caller_id_name:Ann Lee', or(name('Ann'), any('Lee')), '3'],
  ['caller_id_name:(Ann Bob)', eq('caller_id_name', 'Ann', 'Bob', 'Ann Bob'), '23'],
  ['caller_id_name:(Ann Lee)', eq('caller_id_name', 'Ann', 'Lee', 'Ann Lee'), '13'],
  ['caller_id_name:(Ann OR "Ann Lee")', or(name('Ann'), name('Ann Lee')), '13'],
  ['caller_id_name:(Ann AND Bob)', must(name('Ann'), name('Bob')), ''],
  ['caller_id_name:(+A* -Ann)', but(wild('caller_id_name', 'A*'), name('Ann')), '1'],
  ['caller_id_name:(Ann OR duration:10)', or(name('Ann'), duration(10)), '23'],
  ['caller_id_name:((Ann))', name('Ann'), '3'],
  ['hangup_cause:USER_BUSY', busy, '3'],
  ['hangup_cause:NORMAL*', wild('hangup_cause', 'NORMAL*'), '1245'],
  ['hangup_cause:(USER_BUSY OR NO_ANSWER)', or(busy, eq('hangup_cause', 'NO_ANSWER')), '3'],
  ['uuid:1', eq('uuid', '1'), '1'],
  ['_id:1', eq('uuid', '1'), '1'],
  ['_id:(1 OR 2)', or(eq('uuid', '1'), eq('uuid', '2')), '12'],
  ['leg:b', eq('leg', 'b'), '5'],
  ['direction:outbound', eq('direction', 'outbound'), '5'],
  ['presence_id:1000@a.example.com', eq('presence_id', '1000@a.example.com'), '12345'],
  ['destination_number:201', eq('destination_number', '201'), '1'],
  ['variables.order:7', eq('variables.order', '7'), '3'],
  ['variables.unknown:7', eq('variables.unknown', '7'), ''],
  ['*:Ann', ann, '3'],
  ['*:"Ann Lee"', any('Ann Lee'), '1'],
  ['domain:other.example.com', none, ''],
  ['any:Ann', none, ''],
  ['unknown:*', none, ''],
  ['-unknown:x', not(none), '12345'],
  ['constructor:x', none, ''],
  ['caller\\_id_name:Ann', name('Ann'), '3'],
  ['recordings.name:x', eq('recordings.name', 'x'), ''],
  ['recordings:*', has('recordings.name'), ''],
  ['_exists_:gateway', has('gateway'), '2'],
  ['_exists_:"gateway"', has('gateway'), '2'],
  ['_exists_:variables.order', has('variables.order'), '3'],
  ['_exists_:unknown', none, ''],
  ['_exists_:*', all, '12345'],
  ['_exists_:recordings', has('recordings.name'), ''],
  ['-_exists_:gateway', not(has('gateway')), '1345'],
  ['NOT _exists_:gateway AND Ann', but(ann, has('gateway')), '3'],
]

const operators: readonly Row[] = [
  ['Ann OR Bob', or(ann, bob), '23'],
  ['Ann || Bob', or(ann, bob), '23'],
  ['Ann AND Bob', must(ann, bob), ''],
  ['Ann && Bob', must(ann, bob), ''],
  ['Ann AND hangup_cause:USER_BUSY', must(ann, busy), '3'],
  ['+Ann +hangup_cause:USER_BUSY', must(ann, busy), '3'],
  ['+Ann Bob', must(ann), '3'],
  ['+441632960777', any('+441632960777'), ''],
  ['(+441632960777)', any('+441632960777'), ''],
  ['Ann OR +441632960777', or(ann, any('+441632960777')), '3'],
  ['-+441632960777', not(any('+441632960777')), '12345'],
  ['+441632', any('441632'), ''],
  ['Ann +Bob', must(bob), '2'],
  ['NOT Ann', not(ann), '1245'],
  ['!Ann', not(ann), '1245'],
  ['! Ann', not(ann), '1245'],
  ['-Ann', not(ann), '1245'],
  ['- Ann', not(ann), '1245'],
  ['-Ann -Bob', not(ann, bob), '145'],
  ['NOT Ann NOT Bob', not(ann, bob), '145'],
  ['NOT Ann AND NOT Bob', not(ann, bob), '145'],
  ['* -Ann', orBut(all, ann), '1245'],
  ['* NOT Ann', orBut(all, ann), '1245'],
  ['* AND NOT Ann', but(all, ann), '1245'],
  ['* && !Ann', but(all, ann), '1245'],
  ['Ann AND NOT Bob', but(ann, bob), '3'],
  ['Ann AND -Bob', but(ann, bob), '3'],
  ['Ann OR NOT Bob', orBut(ann, bob), '3'],
  ['NOT Ann OR Bob', orBut(bob, ann), '2'],
  // There are no precedences: AND requires both of its sides, and optional clauses then do not count.
  ['Ann OR Bob AND duration:10', must(bob, duration(10)), '2'],
  ['Ann AND Bob OR duration:10', must(ann, bob), ''],
  ['duration:10 OR duration:0 AND Ann', must(duration(0), ann), '3'],
  ['Ann AND Bob AND 10', must(ann, bob, any('10')), ''],
  ['Ann OR Bob OR 5', or(ann, bob, any('5')), '1235'],
  ['(Ann OR Bob) AND duration:10', must(or(ann, bob), duration(10)), '2'],
  ['Ann OR (Bob AND duration:10)', or(ann, must(bob, duration(10))), '23'],
  ['(Ann AND duration:0) OR (Bob AND duration:10)', or(must(ann, duration(0)), must(bob, duration(10))), '23'],
  ['NOT (Ann OR Bob)', not(or(ann, bob)), '145'],
  ['-(Ann OR Bob)', not(or(ann, bob)), '145'],
  ['Ann AND (NOT Bob)', must(ann, not(bob)), '3'],
  ['* AND (-Ann)', must(all, not(ann)), '1245'],
  ['((Ann))', ann, '3'],
  ['(Ann)(Bob)', or(ann, bob), '23'],
  ['Ann(Bob)', or(ann, bob), '23'],
  ['"Ann"Bob', or(ann, bob), '23'],
  ['Ann Bob AND duration:10', must(bob, duration(10)), '2'],
  ['Ann Lee Bob AND duration:10', must(bob, duration(10)), '2'],
  ['Ann Bob -Lee', orBut(any('Ann', 'Bob', 'Ann Bob'), any('Lee')), '23'],
  ['+(Ann OR Bob) -hangup_cause:USER_BUSY', but(or(ann, bob), busy), '2'],
  ['duration:10 caller_id_name:Ann', or(duration(10), name('Ann')), '23'],
]

const numbers: readonly Row[] = [
  ['duration:10', duration(10), '2'],
  ['duration:"10"', duration(10), '2'],
  ['duration:10.0', duration(10), '2'],
  ['duration:10.5', none, ''],
  ['duration:99999999999', none, ''],
  ['duration:\\-1', duration(-1), ''],
  ['duration:(0 OR 5)', or(duration(0), duration(5)), '13'],
  ['duration:(0 5)', eq('duration', 0, 5), '13'],
  ['quality_percentage_audio:99.5', eq('quality_percentage_audio', 99.5), '4'],
  ['duration:[5 TO 10]', range('duration', 5, 10), '12'],
  ['duration:{5 TO 10}', range('duration', 5, 10, '{}'), ''],
  ['duration:[5 TO 10}', range('duration', 5, 10, '[}'), '1'],
  ['duration:{5 TO 10]', range('duration', 5, 10, '{]'), '2'],
  ['duration:[* TO 5]', range('duration', open, 5), '13'],
  ['duration:[5 TO *]', range('duration', 5, open), '1245'],
  ['duration:[* TO *]', range('duration', open, open), '12345'],
  ['duration:["5" TO "10"]', range('duration', 5, 10), '12'],
  ['duration:[ 5  TO  10 ]', range('duration', 5, 10), '12'],
  ['duration:[5 TO 10]^2', range('duration', 5, 10), '12'],
  ['duration:>5', range('duration', 5, open, '{]'), '245'],
  ['duration:>=5', range('duration', 5, open), '1245'],
  ['duration:<5', range('duration', open, 5, '[}'), '3'],
  ['duration:<=5', range('duration', open, 5), '13'],
  ['duration:> 5', range('duration', 5, open, '{]'), '245'],
  ['duration:(>=5 AND <65)', must(range('duration', 5, open), range('duration', open, 65, '[}')), '12'],
  ['duration:(>0 -10)', orBut(range('duration', 0, open, '{]'), duration(10)), '145'],
  ['duration:>4.5', range('duration', 4.5, open, '{]'), '1245'],
  ['duration:<99999999999', range('duration', open, 2 ** 31 - 1), '12345'],
  ['duration:>99999999999', range('duration', 2 ** 31 - 1, open, '{]'), ''],
  ['caller_id_name:[A TO B]', range('caller_id_name', 'A', 'B'), '13'],
  ['caller_id_name:{"Ann" TO "Bob"}', range('caller_id_name', 'Ann', 'Bob', '{}'), '1'],
  ['caller_id_name:>=a', range('caller_id_name', 'a', open), '4'],
  ['variables.order:[1 TO 8]', range('variables.order', '1', '8'), '3'],
  ['domain:{a TO z}', none, ''],
]

const noon = callTime
const dates: readonly Row[] = [
  ['created_time:2026', time(at(2026, 0), at(2027, 0) - 1), '1234'],
  ['created_time:2026-01', time(at(2026, 0), at(2026, 1) - 1), '1234'],
  ['created_time:2026-01-15', time(at(2026, 0, 15), at(2026, 0, 16) - 1), '123'],
  ['created_time:"2026-01-15T12:00:00.000Z"', time(noon, noon), '123'],
  ['created_time:"2026-01-15T14:00:00+02:00"', time(noon, noon + 999), '123'],
  ['created_time:2026\\-01\\-15T12\\:00', time(noon, noon + 59_999), '123'],
  [`created_time:${noon}`, time(noon, noon), '123'],
  ['created_time:now', time(noon, noon), '123'],
  ['created_time:[2026-01-14 TO 2026-01-14]', time(at(2026, 0, 14), at(2026, 0, 15) - 1), '4'],
  ['created_time:{2026-01-14 TO 2026-01-16}', time(at(2026, 0, 15), at(2026, 0, 16) - 1), '123'],
  ['created_time:[2026-01-15 TO 2026-01-16}', time(at(2026, 0, 15), at(2026, 0, 16) - 1), '123'],
  ['created_time:[now-2h/h TO now]', time(noon - 7_200_000, noon), '123'],
  ['created_time:[now-1d/d TO now/d]', time(at(2026, 0, 14), at(2026, 0, 16) - 1), '1234'],
  ['created_time:[now-1d/d TO now/d}', time(at(2026, 0, 14), at(2026, 0, 15) - 1), '4'],
  ['created_time:{now-1d/d TO now]', time(at(2026, 0, 15), noon), '123'],
  ['created_time:[2026-01-01||-1M/M TO 2026-01-01||+1M/d]', time(at(2025, 11), at(2026, 1, 2) - 1), '12345'],
  ['created_time:[now-60d TO now-30d]', time(noon - 60 * day, noon - 30 * day), '5'],
  ['created_time:[* TO now-1d]', time(open, noon - day), '45'],
  ['created_time:>now-1d/d', time(at(2026, 0, 15), open), '123'],
  ['created_time:>=now-1d/d', time(at(2026, 0, 14), open), '1234'],
  ['created_time:<now/d', time(open, at(2026, 0, 15) - 1), '45'],
  ['created_time:<=2026-01-14', time(open, at(2026, 0, 15) - 1), '45'],
  ['created_time:>=2026-01-15T12:00:00', time(noon, open), '123'],
  ['created_time:>"2026-01-15T11:59:59.999Z"', time(noon, open), '123'],
  ['created_time:[now/w TO *]', time(at(2026, 0, 12), open), '1234'],
  ['created_time:[now/y TO now/M]', time(at(2026, 0), at(2026, 1) - 1), '1234'],
  ['created_time:>now-1y+1M-1w', time(at(2025, 1, 8, 12) + 1, open), '12345'],
]

describe.each([
  ['words and phrases', words],
  ['escapes', escapes],
  ['wildcards', wildcards],
  ['fields', fields],
  ['operators', operators],
  ['numbers and ranges', numbers],
  ['dates', dates],
])('%s', (_title, rows) => {
  test.each(rows)('the query %s is read correctly', (query, meaning, found) => {
    const clause = read(query)

    expect(clause).toEqual(meaning)
    expect(
      calls
        .filter((cdr) => matches(cdr, clause))
        .map(({ uuid }) => uuid)
        .join(''),
    ).toBe(found)
  })
})

const withAnd: readonly Row[] = [
  ['"Ann" "Lee"', must(ann, any('Lee')), ''],
  ['Ann Lee', or(any('Ann Lee'), must(ann, any('Lee'))), '1'],
  ['Ann* Bob', must(wild('any', 'Ann*'), bob), ''],
  ['Ann OR Bob', or(ann, bob), '23'],
  ['Ann AND Bob', must(ann, bob), ''],
  ['duration:10 -Ann', but(duration(10), ann), '2'],
  ['duration:10 OR duration:0 caller_id_name:Ann', must(name('Ann')), '3'],
  ['duration:0 Ann OR Bob', must(duration(0)), '3'],
  ['Ann', ann, '3'],
]

test.each(withAnd)('the query where AND is the default is read correctly: %s', (query, meaning, found) => {
  const clause = read(query, { and: true })

  expect(clause).toEqual(meaning)
  expect(
    calls
      .filter((cdr) => matches(cdr, clause))
      .map(({ uuid }) => uuid)
      .join(''),
  ).toBe(found)
})

test('query text without a field is searched in the default fields', () => {
  const inBoth = { fields: ['caller_id_name', 'gateway'] }

  expect(read('Ann', { fields: ['caller_id_name'] })).toEqual(name('Ann'))
  expect(read('Ann', inBoth)).toEqual(or(name('Ann'), eq('gateway', 'Ann')))
  expect(read('A*', inBoth)).toEqual(or(wild('caller_id_name', 'A*'), wild('gateway', 'A*')))
  expect(read('duration:10', inBoth)).toEqual(duration(10))
  expect(read('*:*', { fields: ['gateway'] })).toEqual(all)
  expect(read('*', { fields: ['gateway'] })).toEqual(has('gateway'))
  expect(read('[1 TO 5]', { fields: ['duration'] })).toEqual(range('duration', 1, 5))
  expect(read('x', { fields: ['unknown'] })).toEqual(none)
})

const refusals: readonly (readonly [string, string])[] = [
  ['"Ann', 'a quotation mark is missing'],
  ['"', 'a quotation mark is missing'],
  ['"a\\"', 'a quotation mark is missing'],
  ['(Ann', 'a ) is missing'],
  ['Ann)', 'there is no ('],
  ['()', 'a word, phrase or ( is missing'],
  ['Ann AND', 'at its end: a word, phrase or ( is missing'],
  ['AND Ann', 'character 1: a word, phrase or ( is missing'],
  ['OR', 'a word, phrase or ( is missing'],
  ['Ann OR OR Bob', 'character 8: a word, phrase or ( is missing'],
  ['NOT', 'a word, phrase or ( is missing'],
  ['NOT NOT Ann', 'a word, phrase or ( is missing'],
  ['Ann +', 'a word, phrase or ( is missing'],
  ['--Ann', 'a word, phrase or ( is missing'],
  ['duration:', 'a value is missing after the field'],
  ['duration:)', 'a value is missing after the field'],
  ['duration:-1', 'a value is missing after the field'],
  [':x', 'a word, phrase or ( is missing'],
  ['a:b:c', 'a word, phrase or ( is missing'],
  ['/Ann.*/', 'regular expressions are not offered'],
  ['caller_id_name:/A(n+)+/', 'regular expressions are not offered'],
  ['a/b', 'regular expressions are not offered'],
  ['Ann~', 'fuzzy and proximity search'],
  ['Ann~2', 'fuzzy and proximity search'],
  ['"Ann Lee"~5', 'fuzzy and proximity search'],
  ['Ann^', 'a boost is ^ and a number'],
  ['Ann^x', 'a boost is ^ and a number'],
  ['^2', 'a boost is ^ and a number'],
  ['Ann\\', 'a backslash must be followed by a character'],
  ['\\u12', 'four hexadecimal digits'],
  ['\\ud800', 'well-formed'],
  ['[1 TO 5]', 'a range needs a field'],
  ['*:[1 TO 5]', 'a range needs a field'],
  ['>5', 'a range needs a field'],
  ['duration:[1 5]', 'a range is [from TO to]'],
  ['duration:[1 TO 5', 'a range must end with ] or }'],
  ['duration:[TO 5]', 'a range is [from TO to]'],
  ['duration:[1 TO ]', 'a range is [from TO to]'],
  ['duration:]', 'there is no range'],
  ['duration:>', 'a value to compare with is missing'],
  ['duration:ten', 'must be a number'],
  ['duration:1*', 'duration is no text'],
  ['created_time:2026-0?', 'created_time is no text'],
  ['created_time:yesterday', 'must be a date'],
  ['created_time:2026-13-01', 'must be a date'],
  ['created_time:2026-02-30', 'must be a date'],
  ['created_time:>now-1x', 'must be a date'],
  ['created_time:>now-1000000y', 'must be a date'],
  ['created_time:[now-1d/d||/M TO now]', 'must be a date'],
  ['_index:cdr-other*', 'fields that begin with _'],
  ['_source:x', 'fields that begin with _'],
  ['\\_index:x', 'fields that begin with _'],
  ['_exists_:_routing', 'fields that begin with _'],
  ['_exists_:', '_exists_: must be followed by the name of a field'],
  ['_exists_:(gateway)', '_exists_: must be followed by the name of a field'],
  ['\\_exists_:gateway', 'fields that begin with _'],
  ['caller*:x', 'a field must be named in full'],
  ['caller\\*:x', 'a field must be named in full'],
  ['variables.\\*:x', 'a field must be named in full'],
  ['variables:x', 'name a variable'],
  ['('.repeat(8) + 'a' + ')'.repeat(8), 'at most 8 deep'],
  ['('.repeat(500), 'at most 8 deep'],
  ['a OR '.repeat(100) + 'a', 'at most 100 clauses'],
  ['a '.repeat(101), 'at most 100 clauses'],
  ['a'.repeat(1025), 'at most 1024 characters'],
]

test.each(refusals)('the query %s is refused, with the place and the reason', (query, problem) => {
  expect(() => read(query)).toThrow(
    expect.objectContaining({
      code: 'query_refused',
      message: expect.stringContaining(problem),
      details: [
        { field: expect.stringContaining('query'), problem: expect.stringContaining(problem.replace(/^.*: /, '')) },
      ],
    }),
  )
})

test('a query exactly at the limits is accepted', () => {
  expect(read('('.repeat(7) + 'Ann' + ')'.repeat(7))).toEqual(ann)
  expect(read('a OR '.repeat(99) + 'a')).toMatchObject({ should: { length: 100 } })
  expect(read('a'.repeat(1024))).toEqual(any('a'.repeat(1024)))
})
