/** Every way to write an address that parsers of URLs understand, and some that only people do. */
import * as fc from 'fast-check'

const circled = '⓪①②③④⑤⑥⑦⑧⑨'

/** A digit or letter as a look-alike that the parser of URLs folds into it. */
function disguised(character: string): fc.Arbitrary<string> {
  const code = character.charCodeAt(0)
  const fullWidth = /[\w-]/.test(character) ? String.fromCharCode(code + 0xfee0) : character
  const round = /\d/.test(character) ? circled.charAt(Number(character)) : fullWidth
  const percent = `%${code.toString(16)}`
  return fc.constantFrom(character, character, character.toUpperCase(), fullWidth, round, percent)
}

/** A text with some of its characters in disguise, and its dots as any of the four that are one. */
export function disguisedHost(host: string): fc.Arbitrary<string> {
  const parts = Array.from(host, (each) =>
    each === '.' ? fc.constantFrom('.', '.', '。', '．', '｡') : disguised(each),
  )
  return fc.tuple(...parts).map((all) => all.join(''))
}

/** A number of a part of an address in decimal, octal or hexadecimal, with any zeros in front. */
const radix = (value: number): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom('decimal', 'octal', 'hex', 'HEX'), fc.nat({ max: 3 })).map(([form, zeros]) => {
    if (form === 'decimal') return String(value)
    if (form === 'octal') return `0${'0'.repeat(zeros)}${value.toString(8)}`
    const digits = `${'0'.repeat(zeros)}${value.toString(16)}`
    return form === 'hex' ? `0x${digits}` : `0X${digits.toUpperCase()}`
  })

/** An IPv4 address, given as a number, in one to four parts: the last part holds all that the others do not. */
export function ipv4Spelling(address: number): fc.Arbitrary<string> {
  const bytes = [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256)
  const inParts = (count: number) => {
    const last = address % 256 ** (5 - count)
    return fc.tuple(...[...bytes.slice(0, count - 1), last].map(radix)).map((parts) => parts.join('.'))
  }
  const plain = fc.oneof(...[1, 2, 3, 4].map(inParts))
  return fc.tuple(plain.chain(disguisedHost), fc.constantFrom('', '', '.')).map(([host, dot]) => host + dot)
}

/** An IPv4 address, given as a number, inside of an IPv6 address of each kind that leads to it; in brackets. */
export function ipv6Carrying(address: number): fc.Arbitrary<string> {
  const hex = (value: number) => value.toString(16)
  const [high, low] = [hex(Math.floor(address / 65_536)), hex(address % 65_536)]
  const dotted = [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')
  const tail = fc.constantFrom(`${high}:${low}`, dotted)
  const prefixes = [
    '::',
    '::ffff:',
    '::ffff:0:',
    '64:ff9b::',
    '64:ff9b:1::',
    '0:0:0:0:0:ffff:',
    '0::FFFF:',
    'fe80::5efe:',
  ]
  const inner = fc.oneof(
    fc.tuple(fc.constantFrom(...prefixes), tail).map(([prefix, end]) => prefix + end),
    fc.constantFrom(`2002:${high}:${low}::1`, `2002:${high}:${low}:0:0:0:0:1`, `2001:0:${high}:${low}::`),
  )
  const cased = fc.tuple(inner, fc.boolean()).map(([text, isUpper]) => (isUpper ? text.toUpperCase() : text))
  return cased.map((text) => `[${text}]`)
}

/** Some address of a network such as `10.0.0.0/8`, as a number. */
export function addressIn(cidr: string): fc.Arbitrary<number> {
  const [base = '', bits = ''] = cidr.split('/')
  const first = base.split('.').reduce((number, part) => number * 256 + Number(part), 0)
  return fc.integer({ min: first, max: first + 2 ** (32 - Number(bits)) - 1 })
}
