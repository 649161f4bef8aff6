import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linearPattern } from '../../../adapters/regex/linear-pattern.ts'
import { limitedPatterns, matches, passesFilter, patternWork } from '../../../core/hooks/matching/matching.ts'
import { readPattern } from '../../../core/requests/pattern.ts'
import type { HookFilter } from '../../../core/hooks/definition/hook.ts'
import { aHook, anEvent } from '../../support/records/records.ts'

type Operation = HookFilter['operation']
type Value = HookFilter['value']

const event = {
  text: 'abc',
  empty: '',
  zero: '0',
  ten: '10',
  padded: '010',
  negative: '-2',
  fraction: '1.5',
  long: '12345678901234567891',
  plus: '+10',
  null: 'null',
  variable_both: 'variable',
  both: 'plain',
  'a.b': 'dotted key',
  nested: { 'a.b': 'not reached', deep: { value: 'inner' } },
}

const passes = (field: string, operation: Operation, value: Value): boolean =>
  passesFilter({ operation, value }, field, event, linearPattern)

describe('a comparison', () => {
  it.each<[string, Operation, Value, boolean]>([
    // equality, text and numbers
    ['text', '==', 'abc', true],
    ['text', '==', 'ABC', false],
    ['text', '!=', 'ABC', true],
    ['ten', '==', 10, true],
    ['ten', '==', '10.0', true],
    ['padded', '==', 10, true],
    ['plus', '==', 10, false],
    ['ten', '!=', 10, false],
    ['empty', '==', '', true],
    ['empty', '==', 0, false],
    ['empty', '!=', '', false],
    ['zero', '==', 0, true],
    ['zero', '==', '', false],
    ['zero', '==', false, false],
    ['text', '==', false, false],
    // order: numbers as numbers, others as text
    ['ten', '<', 9, false],
    ['ten', '>', 9, true],
    ['ten', '>', '9', true],
    ['ten', '<=', 10, true],
    ['ten', '>=', '10', true],
    ['negative', '<', '-1', true],
    ['negative', '<', 0, true],
    ['fraction', '<', 2, true],
    ['fraction', '>', '1.49', true],
    ['ten', '<', 'x', true],
    ['text', '<', 'abd', true],
    ['text', '>', 'abb', true],
    ['text', '>', 'ABD', true],
    ['empty', '<', 0, true],
    ['long', '==', '12345678901234567890', false],
    ['long', '>', '12345678901234567890', true],
    // absence
    ['gone', '==', '', false],
    ['gone', '!=', '', true],
    ['gone', '==', null, true],
    ['gone', '==', 'null', true],
    ['gone', '!=', null, false],
    ['text', '==', null, false],
    ['text', '!=', 'null', true],
    ['empty', '==', null, false],
    ['null', '==', 'null', false],
    ['gone', '<', 1, false],
    ['gone', '>', -1, false],
    ['gone', '<=', '', false],
    ['gone', '>=', '', false],
    ['gone', 'reg', '.*', false],
    // patterns
    ['text', 'reg', 'b', true],
    ['text', 'reg', '/^abc$/', true],
    ['text', 'reg', '/ABC/', false],
    ['text', 'reg', '/ABC/i', true],
    ['text', 'reg', '/b/y', false],
    ['text', 'reg', '/a/y', true],
    ['text', 'reg', '/b/g', true],
    ['empty', 'reg', '^$', true],
    ['zero', 'reg', 0, true],
    ['text', 'reg', '(', false],
    ['text', 'reg', '/a/x', false],
    // where a field is looked for
    ['both', '==', 'variable', true],
    ['a.b', '==', 'dotted key', true],
    ['nested.deep.value', '==', 'inner', true],
    ['nested.gone', '==', null, true],
    ['nested', '==', '{"a.b":"not reached","deep":{"value":"inner"}}', true],
    ['constructor', '==', null, true],
    ['__proto__', '==', null, true],
    ['text.length', '==', null, true],
  ])('a filter condition %s %s %j is %s', (field, operation, value, expected) => {
    expect(passes(field, operation, value)).toBe(expected)
  })

  it('a filter that compares whole numbers orders them exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.bigInt(), (left, right) => {
        const wanted = right.toString().slice(0, 40)
        const other = { value: left.toString() }
        const less = passesFilter({ operation: '<', value: wanted }, 'value', other, linearPattern)
        const more = passesFilter({ operation: '>', value: wanted }, 'value', other, linearPattern)

        expect([less, more]).toEqual([left < BigInt(wanted), left > BigInt(wanted)])
      }),
      { seed: 20_250_102 },
    )
  })

  it('a comparison and its opposite never both match a field that exists', () => {
    const opposites: [Operation, Operation][] = [
      ['==', '!='],
      ['<', '>='],
      ['>', '<='],
    ]
    fc.assert(
      fc.property(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean()), (actual, value) => {
        for (const [operation, opposite] of opposites) {
          const one = passesFilter({ operation, value }, 'f', { f: actual }, linearPattern)
          const other = passesFilter({ operation: opposite, value }, 'f', { f: actual }, linearPattern)

          expect(one).not.toBe(other)
        }
      }),
      { seed: 20_250_103 },
    )
  })

  it('a comparison with a pattern made for catastrophic backtracking ends at once', () => {
    const field = { f: 'a'.repeat(50_000) }

    expect(passesFilter({ operation: 'reg', value: '^(a+)+$b' }, 'f', field, linearPattern)).toBe(false)
  })
})

describe('the cost of a pattern', () => {
  it('a large pattern examines only as many characters as it can match in 300 000 steps', () => {
    const value = 'a{500}b'

    expect(passesFilter({ operation: 'reg', value }, 'f', { f: `${'a'.repeat(500)}b` }, linearPattern)).toBe(true)
    expect(
      passesFilter({ operation: 'reg', value }, 'f', { f: `${'c'.repeat(500)}${'a'.repeat(500)}b` }, linearPattern),
    ).toBe(false)
  })

  it.each(['\\pL'.repeat(9), '[\\p{Greek}\\PN]'.repeat(5)])('%s is refused: its tables are too large', (pattern) => {
    expect(readPattern(pattern, linearPattern)).toBeUndefined()
  })

  it.each(['(?:[a-b]?){1000}[x-z]', `(?:${'[ab]?'.repeat(40)}){1000}[xz]`])(
    '%s is refused: it is too large',
    (bomb) => {
      expect(readPattern(bomb, linearPattern)).toBeUndefined()
    },
  )

  it.each(['a{500}', '^(?:\\+?380)?\\d{9,12}$', 'x'.repeat(256), '[a-z]?'.repeat(42)])(
    '%s is not too large',
    (pattern) => {
      expect(readPattern(pattern, linearPattern)).toBeDefined()
    },
  )

  it('a pattern examines only the beginning of a long value', () => {
    const long = { f: `${'a'.repeat(8192)}b` }

    expect(passesFilter({ operation: 'reg', value: 'b' }, 'f', long, linearPattern)).toBe(false)
    expect(passesFilter({ operation: 'reg', value: '^a+$' }, 'f', long, linearPattern)).toBe(true)
  })
})

describe('each operation on each kind of value', () => {
  const operations: readonly Operation[] = ['==', '!=', '<', '>', '<=', '>=', 'reg']
  const found = { empty: '', zero: '0', ten: '10', text: 'abc' }

  it.each<[string, Value, string]>([
    ['absent', null, '=='],
    ['absent', 'null', '=='],
    ['absent', '', '!='],
    ['absent', 0, '!='],
    ['absent', '0', '!='],
    ['absent', '9', '!='],
    ['absent', 10, '!='],
    ['absent', 'abc', '!='],
    ['absent', false, '!='],
    ['empty', null, '!= < <='],
    ['empty', 'null', '!= < <='],
    ['empty', '', '== <= >= reg'],
    ['empty', 0, '!= < <='],
    ['empty', '0', '!= < <='],
    ['empty', '9', '!= < <='],
    ['empty', 10, '!= < <='],
    ['empty', 'abc', '!= < <='],
    ['empty', false, '!= < <='],
    ['zero', null, '!= < <='],
    ['zero', 'null', '!= < <='],
    ['zero', '', '!= > >= reg'],
    ['zero', 0, '== <= >= reg'],
    ['zero', '0', '== <= >= reg'],
    ['zero', '9', '!= < <='],
    ['zero', 10, '!= < <='],
    ['zero', 'abc', '!= < <='],
    ['zero', false, '!= < <='],
    ['ten', null, '!= < <='],
    ['ten', 'null', '!= < <='],
    ['ten', '', '!= > >= reg'],
    ['ten', 0, '!= > >= reg'],
    ['ten', '0', '!= > >= reg'],
    ['ten', '9', '!= > >='],
    ['ten', 10, '== <= >= reg'],
    ['ten', 'abc', '!= < <='],
    ['ten', false, '!= < <='],
    ['text', null, '!= < <='],
    ['text', 'null', '!= < <='],
    ['text', '', '!= > >= reg'],
    ['text', 0, '!= > >='],
    ['text', '0', '!= > >='],
    ['text', '9', '!= > >='],
    ['text', 10, '!= > >='],
    ['text', 'abc', '== <= >= reg'],
    ['text', false, '!= < <='],
  ])('a filter of %s against %j passes with the operation %s', (field, value, expected) => {
    const passing = operations.filter((operation) => passesFilter({ operation, value }, field, found, linearPattern))

    expect(passing.join(' ')).toBe(expected)
  })
})

describe('a hook', () => {
  const work = () => limitedPatterns(linearPattern, async () => {}, patternWork.event)
  const fires = (hook: Parameters<typeof aHook>[0], event = anEvent()) =>
    matches(aHook({ filter: {}, ...hook }), event, work())

  it('a hook fires on the event that it names', async () => {
    expect(await fires({})).toBe(true)
  })

  it.each(['CHANNEL_CREATED', 'channel_create', 'CHANNEL', 'CUSTOM->CHANNEL_CREATE'])(
    'a hook that names %s does not fire on CHANNEL_CREATE',
    async (name) => {
      expect(await fires({ event: name })).toBe(false)
    },
  )

  it('a hook that is disabled does not fire', async () => {
    expect(await fires({ enable: false })).toBe(false)
  })

  it.each(['example.com', 'sub.a.example.com', 'A.example.com', 'xa.example.com'])(
    'a hook of domain %s does not fire on an event of a.example.com',
    async (domain) => {
      expect(await fires({ domain })).toBe(false)
    },
  )

  it('a hook fires only if every filter matches', async () => {
    const event = anEvent({ fields: { a: '1', b: '2' } })
    const one: HookFilter = { operation: '==', value: 1 }

    expect(await fires({ filter: { a: one, b: { operation: '==', value: 2 } } }, event)).toBe(true)
    expect(await fires({ filter: { a: one, b: { operation: '==', value: 3 } } }, event)).toBe(false)
  })
})
