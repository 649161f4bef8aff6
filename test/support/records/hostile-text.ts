/**
 * Makes more bad inputs of the kinds that the fixtures hold samples of: text with the characters that mean something to
 * a parser weighted up, good values that were cut, joined and altered, and values of other types.
 */
import * as fc from 'fast-check'

const seed = Number(process.env['GENERATED_SEED'] ?? 20_260_115)
const factor = Number(process.env['GENERATED_FACTOR'] ?? 1)

/**
 * The settings of properties over these: the same members each time, and not too many of them. To look for more,
 * `GENERATED_SEED` gives another seed and `GENERATED_FACTOR` multiplies the runs.
 */
export const fixed = (numRuns: number) => ({ seed, numRuns: numRuns * factor })

/** Separators, quotes, controls, invisible characters, look-alikes and halves of surrogate pairs. */
const characters = [
  ...Array.from('@#%:/\\|,;*$&<>"\'`=?!~^()[]{} '),
  ...Array.from(
    '\t\r\n\u0000\u0007\u001b\u007f\u0085\u00a0\u00ad\u200b\u200d\u202e\u2028\u2060\ufeff\ufffd\ufffe\uffff',
  ),
  ...Array.from('１ａＡаıKſẹ。．＠😀'),
  '\ud800',
  '\udc00',
]

const pieces = [
  '${',
  '$${',
  '${system(id)}',
  '../',
  '%00',
  '%2F',
  '%2e%2e',
  '\r\nX-Key: a',
  '__proto__',
  'constructor',
  ']]>',
  '<!DOCTYPE x>',
  '"/><param name="a" value="b"/>',
  '&xxe;',
  ':_:',
  'null',
  'undefined',
  '{"$ne":""}',
  "' OR 1=1 --",
  'a\u0301',
]

/** Text of which nothing is certain but that it is not empty. */
export const hostileText = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.string({ unit: fc.constantFrom(...characters, 'a', '1', '.', '-'), minLength: 1, maxLength: 12 }),
  },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.constantFrom(...pieces, 'a', '1'), { minLength: 1, maxLength: 4 })
      .map((all) => all.join('')),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom('x', '1', ' ', '９', '../').map((text) => text.repeat(5000)) },
)

/**
 * Whether no text of any body may be like this: halves of surrogate pairs, control characters but tab and line ends,
 * and the character that stands for bytes that were no UTF-8.
 */
export function isUnreadable(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  return !text.isWellFormed() || /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/.test(text)
}

/** JSON values that are no text. */
export const notText = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -0, 1.5, -1, Number.MAX_SAFE_INTEGER, [], {}, [[]], { $ne: '' }),
  fc.integer(),
  fc.array(
    hostileText.map((text) => text.slice(0, 20)),
    { minLength: 1, maxLength: 2 },
  ),
)

/** A good text after one change, never the text itself. */
export function mutated(good: string): fc.Arbitrary<string> {
  const place = fc.nat({ max: Math.max(0, good.length - 1) })
  const put = (text: string, at: number, removed: number) => good.slice(0, at) + text + good.slice(at + removed)
  return fc
    .oneof(
      fc.tuple(hostileText, fc.nat({ max: good.length })).map(([text, at]) => put(text, at, 0)),
      fc.tuple(fc.constantFrom(...characters), place).map(([character, at]) => put(character, at, 1)),
      fc.tuple(place, fc.integer({ min: 1, max: 8 })).map(([at, length]) => put('', at, length)),
      fc.constantFrom(',', ', ', ' ', '', '#', '@', '\n', '\u0000', '%00').map((between) => good + between + good),
      place.map((at) => put(lookAlike(good.charAt(at)), at, 1)),
      place.map((at) => put(otherCase(good.charAt(at)), at, 1)),
      fc.constantFrom(good.toUpperCase(), ` ${good}`, `${good} `, encodeURIComponent(good), good.repeat(200)),
    )
    .filter((text) => text !== good)
}

/** A good text with one of some pieces anywhere in it. */
export const withInside = (good: string, inside: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...inside), fc.nat({ max: good.length }))
    .map(([piece, at]) => good.slice(0, at) + piece + good.slice(at))

function lookAlike(character: string): string {
  const code = character.charCodeAt(0)
  return code > 0x20 && code < 0x7f ? String.fromCharCode(code + 0xfee0) : '\u00a0'
}

function otherCase(character: string): string {
  return character === character.toUpperCase() ? character.toLowerCase() : character.toUpperCase()
}
