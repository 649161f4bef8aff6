import { describe, expect, test } from 'vitest'
import type { Clause } from '../../../core/cdr/search-plan.ts'
import { fieldOf } from '../../../core/cdr/search/field-conditions.ts'
import { readQueryText } from '../../../core/cdr/search/query-text.ts'
import { searchBudget } from '../../../core/cdr/search/search-budget.ts'
import { matches } from '../../support/memory/cdr-matches.ts'
import { aCdr, callTime } from '../../support/records/cdrs.ts'

function read(text: string): Clause {
  const fields = [fieldOf('*', 'query')]
  return readQueryText(text, 'query', { now: callTime, budget: searchBudget(), depth: 0, fields, isAndDefault: false })
}

const bool = { kind: 'bool', must: [], mustNot: [], should: [], leastShould: 0 } as const
const eq = (field: string, ...values: string[]): Clause => ({ kind: 'equals', field, values })
const any = (...values: string[]) => eq('any', ...values)
const wild = (field: string, pattern: string): Clause => ({ kind: 'wildcard', field, pattern })
const must = (...clauses: Clause[]): Clause => ({ ...bool, must: clauses })
const not = (...clauses: Clause[]): Clause => ({ ...bool, mustNot: clauses })
const or = (...clauses: Clause[]): Clause => ({ ...bool, should: clauses, leastShould: 1 })
const calls = [aCdr({ uuid: '1', caller_id_number: '441632960001' })]

describe('a phone number with its plus sign', () => {
  const number = any('+441632960777')
  test.each<[string, Clause]>([
    ['+441632960777', number],
    ['(+441632960777)', number],
    ['caller_id_number:+441632960777', eq('caller_id_number', '+441632960777')],
    [
      'caller_id_number:(+441632960777 OR +4930123456)',
      or(eq('caller_id_number', '+441632960777'), eq('caller_id_number', '+4930123456')),
    ],
    ['+441632960777 OR +4930123456', or(number, any('+4930123456'))],
    ['+441632960777 +USER_BUSY', must(number, any('USER_BUSY'))],
    ['+441632960777 USER_BUSY', must(number)],
    ['NOT +441632960777', not(number)],
    ['-+441632960777', not(number)],
    ['+4416*', wild('any', '+4416*')],
    ['+1', any('1')],
    ['+1000 +2000', must(any('1000'), any('2000'))],
    ['+0441632960777', any('0441632960777')],
  ])('%s is read as the number, or + as the operator', (text, clause) => {
    expect(read(text)).toEqual(clause)
  })

  test('a number with a plus sign finds the calls of that number, not those of the same digits', () => {
    const plus = aCdr({ uuid: 'plus', caller_id_number: '+441632960001' })
    const found = (text: string) => [...calls, plus].filter((cdr) => matches(cdr, read(text))).map(({ uuid }) => uuid)

    expect(found('+441632960001')).toEqual(['plus'])
    expect(found('441632960001')).toEqual(['1'])
  })
})
