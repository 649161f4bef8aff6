import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromRaw, toRaw } from '../../../adapters/dynamodb/attributes.ts'

describe('a record in the writing of DynamoDB', () => {
  test('is read back as it was', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('', '__proto__', 'S', 'L', 'M'))
    const value = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' })
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 5 }), (item) => {
        expect(JSON.stringify(fromRaw(JSON.parse(JSON.stringify(toRaw(item)))))).toBe(JSON.stringify(item))
      }),
    )
  })

  test('gives bytes back as they were', () => {
    const item = { part: Uint8Array.from({ length: 256 }, (_, index) => index) }

    expect(fromRaw(toRaw(item))).toEqual(item)
  })

  test('names the type of each value', () => {
    expect(toRaw({ s: '', n: 1.5, b: true, z: null, y: new Uint8Array([1]), l: ['a'], m: { x: 1 } })).toEqual({
      s: { S: '' },
      n: { N: '1.5' },
      b: { BOOL: true },
      z: { NULL: true },
      y: { B: 'AQ==' },
      l: { L: [{ S: 'a' }] },
      m: { M: { x: { N: '1' } } },
    })
  })

  test('leaves out fields without a value, at every depth', () => {
    expect(toRaw({ a: undefined, b: { c: undefined, d: 1 } })).toEqual({ b: { M: { d: { N: '1' } } } })
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol('x')])('cannot hold %s', (value) => {
    expect(() => toRaw({ value })).toThrow('cannot be stored')
  })

  test.each([{ a: { X: '1' } }, { a: 'text' }, { a: {} }, { a: { L: 'no list' } }])(
    'is refused in another form: %j',
    (raw) => {
      expect(() => fromRaw(raw)).toThrow('of another form')
    },
  )
})
