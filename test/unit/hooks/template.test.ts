import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  headerValue,
  insideJsonString,
  substitute,
  type TemplateSource,
  verbatim,
} from '../../../core/hooks/request/template.ts'

const source = (event: TemplateSource['event'], auth: TemplateSource['auth'] = {}): TemplateSource => ({ event, auth })

const filled = (template: string, event: TemplateSource['event'] = { a: 'A' }): string | undefined =>
  substitute(template, source(event), verbatim, 10_000)

/** Any text, with lone surrogates and control characters. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xff_ff }))
  .map((units) => units.map((unit) => String.fromCharCode(unit)).join(''))

describe('substitution', () => {
  it.each([
    ['${a}', 'A'],
    ['<${a}${a}>', '<AA>'],
    ['${absent}', ''],
    ['${', '${'],
    ['${ }', '${ }'],
    ['${a', '${a'],
    ['$a', '$a'],
    ['$${a}', '$A'],
    ['${${a}}', '${A}'],
    ['${a}}', 'A}'],
    ['${a[0]}', '${a[0]}'],
    ['${__proto__}', ''],
    ['${constructor}', ''],
    ['${toString}', ''],
    ['${hasOwnProperty}', ''],
    ['${process.env.AWS_SECRET_ACCESS_KEY}', ''],
    ['${a|upper}', '${a|upper}'],
    ['{{a}} <%= a %> #{a}', '{{a}} <%= a %> #{a}'],
    [`\${${'a'.repeat(129)}}`, `\${${'a'.repeat(129)}}`],
  ])('substitution turns %s into %s', (template, expected) => {
    expect(filled(template)).toBe(expected)
  })

  it('substitution does not expand placeholders in the values that it inserts', () => {
    expect(filled('${a}', { a: '${b}', b: 'secret' })).toBe('${b}')
    expect(filled('${a}b}', { a: '${', b: 'secret' })).toBe('${b}')
  })

  it('substitution prefers the channel variable to the field', () => {
    expect(filled('${x} ${variable_x}', { x: 'field', variable_x: 'variable' })).toBe('variable variable')
  })

  it('substitution follows a name with a dot into nested objects first, and then takes it as a plain key', () => {
    expect(filled('${a.b} ${c.d}', { a: { b: 'nested' }, 'a.b': 'plain', 'c.d': 'key' })).toBe('nested key')
  })

  it('substitution writes a value that is not text as JSON', () => {
    expect(filled('${a} ${b}', { a: ['x', 1], b: 7 })).toBe('["x",1] 7')
  })

  it('substitution takes values of the auth reply by their full names', () => {
    const from = source({ 'auth:body:token': 'forged' }, { 'auth:body:token': 'T', 'auth:header:x-a': 'H' })

    expect(substitute('${auth:body:token} ${auth:header:x-a}', from, verbatim, 100)).toBe('T H')
  })

  it('substitution stops at the limit instead of filling the memory', () => {
    const value = 'x'.repeat(65_536)

    expect(substitute('${a}'.repeat(10_000), source({ a: value }), verbatim, 262_144)).toBeUndefined()
    expect(substitute('${a}'.repeat(4), source({ a: value }), verbatim, 262_144)).toHaveLength(262_144)
  })

  it('substitution reads a hundred thousand unclosed placeholders in linear time', () => {
    const template = '${'.repeat(100_000)

    expect(substitute(template, source({}), verbatim, 1_000_000)).toBe(template)
  })

  it('substitution leaves a template without placeholders as it is', () => {
    fc.assert(
      fc.property(
        anyText.filter((text) => !text.includes('${')),
        (template) => {
          expect(substitute(template, source({}), verbatim, 10_000)).toBe(template)
        },
      ),
      { seed: 20_250_104 },
    )
  })
})

describe('in a JSON body', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\r', '\u0000', '{', '}', '${a}', ',', 'é', '\ud800'),
  })

  it('any value can be read back unchanged from the string of a JSON body', () => {
    fc.assert(
      fc.property(hostile, hostile, (left, right) => {
        const body = substitute('{"n":"${a}-${b}"}', source({ a: left, b: right }), insideJsonString, 10_000)

        expect(JSON.parse(body ?? '')).toEqual({ n: `${left}-${right}` })
      }),
      { seed: 20_250_105 },
    )
  })
})

describe('a header value', () => {
  it.each([
    ['a\r\nX-Evil: 1', 'aX-Evil: 1'],
    ['a\u0000\u007f\tb', 'ab'],
    ['Žofie 山田', '?ofie ??'],
    ['😀', '?'],
    [' a b ', ' a b '],
  ])('the text %j becomes the header value %j', (text, expected) => {
    expect(headerValue(text)).toBe(expected)
  })

  it('a header value is printable ASCII, whatever it is built from', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(headerValue(text)).toMatch(/^[ -~]*$/)
      }),
      { seed: 20_250_106 },
    )
  })
})
