import * as fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { breadth } from '../../support/breadth.ts'
import { isFound } from '../../support/memory/cdr-matches.ts'
import type { Clause } from '../../../core/cdr/search-plan.ts'
import { readSearch } from '../../../core/cdr/search/search-request.ts'
import { fieldTypeOf } from '../../../core/cdr/cdr-fields.ts'
import { DomainError } from '../../../core/errors.ts'
import { aCdr, callTime } from '../../support/records/cdrs.ts'

const seed = 20_260_115

/** Pieces of which queries are made: what has a meaning, what nearly has one, and what has none. */
const pieces = [
  'a',
  'Ann',
  '*',
  '?',
  'b*',
  '"',
  '"x y"',
  '\\',
  '\\"',
  '\\u0041',
  '\\u',
  ' ',
  '  ',
  '\t',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  'AND',
  'OR',
  'NOT',
  '&&',
  '||',
  '!',
  '+',
  '-',
  ':',
  '^',
  '^2',
  '~',
  '~2',
  '/',
  '/x/',
  '>',
  '>=',
  '<',
  '<=',
  ' TO ',
  '[1 TO 5]',
  '{a TO *}',
  'duration:',
  'created_time:',
  'domain_name:',
  '_exists_:',
  '_id:',
  '_index:',
  'x:',
  'now-2h/h',
  '2026-01-01||+1M/d',
  '9999999999999999999',
  '1e400',
  'other.example.com',
  '__proto__:',
  'any:',
  '\u0000',
  'variables.a:',
  'recordings.size:',
  '\ud800',
  '😀',
  'constructor:',
]
const query = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(' ')),
)

const scope = { domain: 'mine.example.com', presenceId: '1000@mine.example.com' }

/** The plan of a query, in the body and in a filter; absent where it was refused. */
function planOf(text: string) {
  try {
    const body = { query: text, filter: [{ query_string: { query: text, default_operator: 'and' } }] }
    return readSearch({ body }, scope, callTime).plan
  } catch (error) {
    if (error instanceof DomainError && error.code === 'query_refused') return undefined
    throw error
  }
}

test('any text of a query is either read or refused', () => {
  fc.assert(
    fc.property(query, (text) => {
      planOf(text)
    }),
    { seed, numRuns: breadth(500, 2000) },
  )
})

test("a query of any text finds nothing outside of the caller's scope, and uses only fields of the contract", () => {
  const inside = { domain_name: scope.domain, presence_id: scope.presenceId }
  const others = [
    aCdr({ ...inside, domain_name: 'other.example.com' }),
    aCdr({ ...inside, presence_id: '1001@mine.example.com' }),
    aCdr({ ...inside, leg: 'b' }),
  ]

  fc.assert(
    fc.property(query, (text) => {
      const plan = planOf(text)
      if (plan === undefined) return
      expect(plan).toMatchObject({ ...scope, legs: ['a'], limit: 40, skip: 0 })
      expect(plan.to - plan.from).toBeLessThanOrEqual(401 * 86_400_000)
      expect(others.filter((cdr) => isFound(cdr, plan))).toEqual([])
      for (const field of fieldsOf(plan.query)) expect(field === 'any' || fieldTypeOf(field) !== undefined).toBe(true)
    }),
    { seed, numRuns: breadth(500, 2000) },
  )
})

test('an escaped or quoted value is found exactly, whatever it contains', () => {
  const text = fc.string({ minLength: 1, maxLength: 30 })

  fc.assert(
    fc.property(text, (value) => {
      const escaped = Array.from(value, (char) => `\\${char === 'u' ? 'u0075' : char}`).join('')
      const quoted = `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
      const call = aCdr({ domain_name: scope.domain, presence_id: scope.presenceId, caller_id_name: value })
      const other = { ...call, caller_id_name: `${value}x` }
      for (const written of [escaped, quoted]) {
        const { plan } = readSearch({ body: { query: `caller_id_name:${written}` } }, scope, callTime)
        expect(plan.query).toEqual({ kind: 'equals', field: 'caller_id_name', values: [value] })
        expect([isFound(call, plan), isFound(other, plan)]).toEqual([true, false])
      }
    }),
    { seed, numRuns: breadth(250, 1000) },
  )
})

afterEach(() => {
  vi.restoreAllMocks()
})

const shapes = [
  '(',
  'a ',
  'a b*',
  '"',
  '" ',
  '\\',
  '-',
  '! ',
  'a:',
  'a :',
  '[',
  '[a TO ',
  '*',
  '+a ',
  'a^2 ',
  'a~',
  'a OR ',
  'x:(',
]

test.each(shapes)('in a repeated text of %s each character is examined a few times at most', (shape) => {
  const looks = [vi.spyOn(String.prototype, 'charAt'), vi.spyOn(String.prototype, 'codePointAt')]
  const text = shape.repeat(1024).slice(0, 1024)

  planOf(text)

  const looked = looks.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  expect(looked).toBeGreaterThan(0)
  expect(looked).toBeLessThan(2 * 10 * text.length)
})

function fieldsOf(clause: Clause): string[] {
  if (clause.kind === 'bool') return [...clause.must, ...clause.mustNot, ...clause.should].flatMap(fieldsOf)
  return 'field' in clause ? [clause.field] : []
}
