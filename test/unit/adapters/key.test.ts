import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { joinKey, keyPrefix, numberPart } from '../../../adapters/dynamodb/key.ts'
import { breadth } from '../../support/breadth.ts'

/** Parts that look like each other's escapes, and any other text. */
const part = fc.oneof(
  fc.string({ unit: fc.constantFrom('|', '%', '-', '0', '7', 'c', 'a', '\uD83D', '\uDE00') }),
  fc.string({ unit: 'binary' }),
  fc.string({ minLength: 250, maxLength: 600 }),
  fc.constantFrom('', '%-', '%007c', '%0025', '%sha256-', 'a.example.com', 'a.example.com|'),
)
const parts = fc.array(part, { minLength: 1, maxLength: 4 })
const join = ([first = '', ...rest]: readonly string[]) => joinKey(first, ...rest)

/** The view of a store: text as UTF-8, in which the halves of surrogate pairs are all the same. */
const stored = (key: string) => Buffer.from(key).toString('hex')

describe('keys', () => {
  test('no two different lists of parts give one key', () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(stored(join(a)) === stored(join(b))).toBe(JSON.stringify(a) === JSON.stringify(b))
      }),
      { numRuns: breadth(1250, 5000) },
    )
  })

  test('two lists of key parts that are divided differently make different keys', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string({ minLength: 1 }), (a, b, c) => {
        expect(joinKey(a + c, b)).not.toBe(joinKey(a, c + b))
      }),
    )
  })

  test('a key is never empty and never too long for the store', () => {
    fc.assert(
      fc.property(parts, (list) => {
        const bytes = Buffer.byteLength(join(list))
        expect(bytes).toBeGreaterThan(0)
        expect(bytes).toBeLessThanOrEqual(2048)
      }),
    )
  })

  test('a prefix covers the keys of its own parts and of no others', () => {
    fc.assert(
      fc.property(part, part, part, (a, b, c) => {
        expect(joinKey(a, c).startsWith(keyPrefix(a))).toBe(true)
        expect(joinKey(b, c).startsWith(keyPrefix(a))).toBe(a === b)
      }),
      { numRuns: breadth(500, 2000) },
    )
  })

  test('the characters of ordinary names stay readable and in order in a key', () => {
    expect(joinKey('login', 'ann.smith+1_x@a.example.com')).toBe('login|ann.smith+1_x@a.example.com')
    expect([joinKey('b'), joinKey('a', 'z'), joinKey('a')].toSorted()).toEqual(['a', 'a|z', 'b'])
  })

  test('numbers sort by their value', () => {
    const moment = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        expect(numberPart(a) < numberPart(b)).toBe(a < b)
      }),
    )
  })
})
