import { beforeEach, expect, test } from 'vitest'
import type { Cdr } from '../../core/cdr/cdr.ts'
import type { Clause } from '../../core/cdr/search-plan.ts'
import { callTime } from '../support/records/cdrs.ts'
import type { CdrBench } from './cdr-store.contract.ts'

/** Calls by their uuid that differ in one field each. */
const varied: readonly Partial<Cdr>[] = [
  { uuid: '1', caller_id_name: 'Ann Lee', caller_id_number: '+441632960001', duration: 5 },
  {
    uuid: '2',
    caller_id_name: 'ann lee',
    caller_id_number: '+441632960002',
    duration: 10,
    quality_percentage_audio: 97.5,
  },
  { uuid: '3', caller_id_name: 'A*n?\\', gateway: 'carrier', variables: { order: '10', 'sip_h_X-Id': 'abc' } },
  { uuid: '4', caller_id_name: 'Ünï😀', hangup_cause: 'USER_BUSY', variables: { order: '9' }, duration: 0 },
  {
    uuid: '5',
    caller_id_name: '',
    quality_percentage_audio: 100,
    recordings: [
      { name: 'first', contentType: 'audio/wav', size: 10, state: 'stored' },
      { name: 'second', contentType: 'audio/mpeg', size: 2000, state: 'failed' },
    ],
  },
]

/** The CDRs of {@link varied}, a millisecond apart. */
const variedInOrder = varied.map((cdr, index) => Object.assign({ created_time: callTime + index }, cdr))

const bool = (parts: Partial<Extract<Clause, { kind: 'bool' }>>): Clause => {
  return { kind: 'bool', must: [], mustNot: [], should: [], leastShould: 0, ...parts }
}
const equals = (field: string, ...values: (string | number)[]): Clause => ({ kind: 'equals', field, values })
const within = (field: string, from?: string | number, to?: string | number, isInclusive = true): Clause => {
  const bound = (value: string | number | undefined) => (value === undefined ? undefined : { value, isInclusive })
  return { kind: 'range', field, from: bound(from), to: bound(to) }
}
const wildcard = (field: string, pattern: string): Clause => ({ kind: 'wildcard', field, pattern })
const prefix = (field: string, text: string): Clause => ({ kind: 'prefix', field, text })
const exists = (field: string): Clause => ({ kind: 'exists', field })

/** A condition and the calls of {@link varied} that meet it. */
const conditions: readonly (readonly [string, Clause, string])[] = [
  ['all', { kind: 'all' }, '12345'],
  ['none', { kind: 'none' }, ''],
  ['text is equal with regard to case', equals('caller_id_name', 'Ann Lee'), '1'],
  ['text has one of several values', equals('caller_id_name', 'Ann Lee', 'ann lee', 'nobody'), '12'],
  ['text is not found by a part of it', equals('caller_id_name', 'Ann'), ''],
  ['text with wildcards in it is plain text', equals('caller_id_name', 'A*n?\\'), '3'],
  ['text beyond ASCII is equal', equals('caller_id_name', 'Ünï😀'), '4'],
  ['empty text is a value', equals('caller_id_name', ''), '5'],
  ['a number is equal', equals('duration', 10), '2'],
  ['a number is one of several', equals('duration', 0, 5, 6), '14'],
  ['a decimal is equal', equals('quality_percentage_audio', 97.5), '2'],
  ['a date is equal', equals('created_time', callTime + 3), '4'],
  ['a variable is equal', equals('variables.order', '10'), '3'],
  ['a variable with dashes is equal', equals('variables.sip_h_X-Id', 'abc'), '3'],
  ['a variable that no call has is equal to nothing', equals('variables.unknown', '10'), ''],
  ['the value of one variable is not that of another', equals('variables.order', 'abc'), ''],
  ['one of several values is equal', equals('recordings.state', 'failed'), '5'],
  ['a number of several is equal', equals('recordings.size', 2000), '5'],
  ['any field is equal', equals('any', 'USER_BUSY'), '4'],
  ['any field is equal to a number', equals('any', '10'), '2'],
  ['any field is equal to a date', equals('any', new Date(callTime).toISOString()), '1'],
  ['any field is not a variable', equals('any', 'abc'), ''],
  ['any field is not a recording', equals('any', 'audio/wav'), ''],
  ['numbers from', within('duration', 10), '235'],
  ['numbers from and to, without the ends', within('duration', 5, 65, false), '2'],
  ['numbers from and to, with the ends', within('duration', 5, 10), '12'],
  ['numbers to', within('duration', undefined, 5), '14'],
  ['whole numbers from a decimal', within('duration', 4.5, 9.5), '1'],
  ['decimals', within('quality_percentage_audio', 97.4, 97.6), '2'],
  ['dates, with the ends', within('created_time', callTime + 1, callTime + 3), '234'],
  ['dates, without the ends', within('created_time', callTime + 1, callTime + 3, false), '3'],
  ['a range without ends is met by every value', within('gateway'), '3'],
  ['text in its order', within('caller_id_number', '+441632960001', '+441632960001z'), '1'],
  ['text in its order, without the ends', within('caller_id_name', 'Ann Lee', 'ann lee', false), ''],
  ['text is ordered by its characters', within('caller_id_name', 'a'), '24'],
  ['variables are ordered as text', within('variables.order', '1', '2'), '3'],
  ['a range of one of several values', within('recordings.size', 11, 3000), '5'],
  ['text begins with', prefix('caller_id_number', '+4416329600'), '12'],
  ['text begins with regard to case', prefix('caller_id_name', 'A'), '13'],
  ['text begins with an escaped wildcard', prefix('caller_id_name', 'A*'), '3'],
  ['a variable begins with', prefix('variables.order', '1'), '3'],
  ['any field begins with', prefix('any', '+44'), '12'],
  ['every value begins with nothing', prefix('gateway', ''), '3'],
  ['any text at the end', wildcard('caller_id_number', '+44*'), '12'],
  ['any text at the beginning', wildcard('caller_id_number', '*0002'), '2'],
  ['any text in the middle', wildcard('caller_id_name', 'A*e'), '1'],
  ['one character', wildcard('caller_id_name', '?nn?lee'), '2'],
  ['one character that is beyond the basic plane', wildcard('caller_id_name', 'Ünï?'), '4'],
  ['escaped wildcards', wildcard('caller_id_name', 'A\\*n\\?*'), '3'],
  ['an escaped backslash', wildcard('caller_id_name', '*\\\\'), '3'],
  ['an escaped ordinary character', wildcard('caller_id_name', '\\Ann*'), '1'],
  ['any text at all', wildcard('gateway', '*'), '3'],
  ['a pattern without wildcards', wildcard('hangup_cause', 'USER_BUSY'), '4'],
  ['a pattern for a variable', wildcard('variables.order', '?'), '4'],
  ['a pattern for any field', wildcard('any', '*632960001'), '1'],
  ['text is there', exists('gateway'), '3'],
  ['a number is there', exists('duration'), '12345'],
  ['a decimal is there', exists('quality_percentage_audio'), '25'],
  ['a variable is there', exists('variables.order'), '34'],
  ['a variable that no call has is not there', exists('variables.unknown'), ''],
  ['recordings are there', exists('recordings.name'), '5'],
  ['every one', bool({ must: [equals('duration', 5, 10), prefix('caller_id_name', 'A')] }), '1'],
  ['none of them', bool({ mustNot: [equals('duration', 5), exists('gateway')] }), '245'],
  ['one at least', bool({ should: [equals('duration', 5), exists('gateway')], leastShould: 1 }), '13'],
  [
    'two at least',
    bool({ should: [equals('duration', 65), exists('gateway'), exists('recordings.name')], leastShould: 2 }),
    '35',
  ],
  ['more than there are', bool({ should: [{ kind: 'all' }], leastShould: 2 }), ''],
  ['wishes are no conditions', bool({ should: [equals('duration', 5)], leastShould: 0 }), '12345'],
  ['an empty bool', bool({}), '12345'],
  [
    'all kinds at once',
    bool({
      must: [exists('duration')],
      mustNot: [equals('duration', 0)],
      should: [exists('gateway'), prefix('caller_id_name', 'a')],
      leastShould: 1,
    }),
    '23',
  ],
  ['a bool in a bool', bool({ mustNot: [bool({ mustNot: [equals('duration', 5)] })] }), '1'],
]

/** The part of the contract of every `CdrStore` that judges which CDRs a condition matches. */
export function cdrConditionContract(bench: () => CdrBench): void {
  let shared: CdrBench | undefined
  beforeEach(async () => {
    if (shared !== undefined) return
    shared = bench()
    await shared.keep(variedInOrder)
  })

  test.each(conditions)(
    'a search with a condition finds exactly the matching CDRs: %s',
    async (_title, query, found) => {
      const uuids = await shared?.uuids({ query })

      expect(uuids?.join('')).toBe(found)
    },
  )
}
