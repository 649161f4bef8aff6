import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { patternJudge } from '../../../adapters/regex/written-patterns.ts'
import { DomainError } from '../../../core/errors.ts'
import type { Comparison, Expression, Operand } from '../../../core/default-routes/expression/expression.ts'
import { parseExpression } from '../../../core/default-routes/expression/parse-expression.ts'
import { breadth } from '../../support/breadth.ts'

const parse = (source: string) => parseExpression(source, 'e', patternJudge())

const variable = (name: string): Operand => ({ kind: 'variable', name })
const literal = (value: string | number | boolean): Operand => ({ kind: 'literal', value })

describe('an expression of the grammar is read as what it means', () => {
  it.each<[string, Expression]>([
    ['${a}', variable('a')],
    ['  ${Caller-Caller-ID-Name}\n', variable('Caller-Caller-ID-Name')],
    ['${list[0]}', variable('list[0]')],
    ['true', literal(true)],
    ['false', literal(false)],
    ['-1.5', literal(-1.5)],
    ['0', literal(0)],
    [`''`, literal('')],
    [`'it\\'s "so"'`, literal(`it's "so"`)],
    [`"back\\\\slash"`, literal('back\\slash')],
    [`'дім'`, literal('дім')],
    [`'; process.exit()'`, literal('; process.exit()')],
    ["${a} == 'x'", { kind: 'compare', operator: '==', left: variable('a'), right: literal('x') }],
    ['${a}!=1', { kind: 'compare', operator: '!=', left: variable('a'), right: literal(1) }],
    ['${a}<${b}', { kind: 'compare', operator: '<', left: variable('a'), right: variable('b') }],
    ['1 >= 2', { kind: 'compare', operator: '>=', left: literal(1), right: literal(2) }],
    ['1 <= 2', { kind: 'compare', operator: '<=', left: literal(1), right: literal(2) }],
    ['1 > 2', { kind: 'compare', operator: '>', left: literal(1), right: literal(2) }],
    ['!${a}', { kind: 'not', operand: variable('a') }],
    ['!!${a}', { kind: 'not', operand: { kind: 'not', operand: variable('a') } }],
    ['${a}&&${b}&&${c}', { kind: 'and', operands: [variable('a'), variable('b'), variable('c')] }],
    [
      '${a} || ${b} && ${c}',
      { kind: 'or', operands: [variable('a'), { kind: 'and', operands: [variable('b'), variable('c')] }] },
    ],
    [
      '(${a} || ${b}) && ${c}',
      { kind: 'and', operands: [{ kind: 'or', operands: [variable('a'), variable('b')] }, variable('c')] },
    ],
    [
      '!${a} == 1',
      { kind: 'compare', operator: '==', left: { kind: 'not', operand: variable('a') }, right: literal(1) },
    ],
    ['(((1)))', literal(1)],
    ['&year(2026)', { kind: 'time', name: 'year', spans: ['2026'] }],
    ['&yday(1,366)', { kind: 'time', name: 'yday', spans: ['1', '366'] }],
    ['&mon(jan-Mar)', { kind: 'time', name: 'mon', spans: ['jan-Mar'] }],
    ['&mday(1-31)', { kind: 'time', name: 'mday', spans: ['1-31'] }],
    ['&week( 1 - 53 )', { kind: 'time', name: 'week', spans: ['1 - 53'] }],
    ['&mweek(1-6)', { kind: 'time', name: 'mweek', spans: ['1-6'] }],
    ['&wday(2-6) ', { kind: 'time', name: 'wday', spans: ['2-6'] }],
    ['&wday(fri-mon)', { kind: 'time', name: 'wday', spans: ['fri-mon'] }],
    ['&hour(18-20)', { kind: 'time', name: 'hour', spans: ['18-20'] }],
    ["&hour('9-17')", { kind: 'time', name: 'hour', spans: ['9-17'] }],
    ['&hour()', { kind: 'time', name: 'hour', spans: [] }],
    ['&minute(0-59)', { kind: 'time', name: 'minute', spans: ['0-59'] }],
    ['&minute_of_day(1-1440)', { kind: 'time', name: 'minute_of_day', spans: ['1-1440'] }],
    ['&time_of_day(22:00-6:30:15)', { kind: 'time', name: 'time_of_day', spans: ['22:00-6:30:15'] }],
    ['&time_of_day(08:00-24:00)', { kind: 'time', name: 'time_of_day', spans: ['08:00-24:00'] }],
    [
      '&date_time(2026-01-01 00:00~2028-02-29 23:59:59)',
      { kind: 'time', name: 'date_time', spans: ['2026-01-01 00:00~2028-02-29 23:59:59'] },
    ],
    ['&match(/^38(\\d+)$/i, ${n})', { kind: 'match', pattern: '^38(\\d+)$', flags: 'i', subject: variable('n') }],
    ['&match(/a\\/b/, ${n})', { kind: 'match', pattern: 'a\\/b', flags: '', subject: variable('n') }],
    ["&match('^[a)]', ${n})", { kind: 'match', pattern: '^[a)]', flags: '', subject: variable('n') }],
    ['&exists(account, 1000)', { kind: 'call', name: 'exists', values: [literal('account'), literal(1000)] }],
    ['&exists(account, 0100)', { kind: 'call', name: 'exists', values: [literal('account'), literal('0100')] }],
    [
      '&exists(media, my.file-1.wav, wav)',
      {
        kind: 'call',
        name: 'exists',
        values: [literal('media'), literal('my.file-1.wav'), literal('wav')],
      },
    ],
    ['&limit(5)', { kind: 'call', name: 'limit', values: [literal(5)] }],
  ])('the expression %s is parsed correctly', (source, expected) => {
    expect(parse(source)).toEqual(expected)
  })
})

describe('any other text is refused at the character that is wrong', () => {
  it.each<[string, number, RegExp]>([
    ['', 1, /ends here/],
    ['   ', 4, /ends here/],
    ['${a', 1, /expected a variable/],
    ['${}', 1, /expected a variable/],
    ['$a', 1, /expected a variable/],
    ['$${hold_music}', 1, /expected a variable/],
    ['${a b}', 1, /expected a variable/],
    ['${${a}}', 1, /expected a variable/],
    ['${a[x]}', 1, /expected a variable/],
    ['a == 1', 1, /quotes/],
    ['0441 == ${a}', 1, /quotes/],
    ['${a} == b', 9, /quotes/],
    ['${a} = 1', 6, /expected == to compare/],
    ['${a} === 1', 8, /expected == to compare/],
    ['${a} <> 1', 7, /unexpected ">"/],
    ['${a} == 1 == 2', 11, /not compared again/],
    ['${a} & ${b}', 6, /expected &&/],
    ['${a} | ${b}', 6, /expected \|\|/],
    ['${a} && ', 9, /ends here/],
    ['&& ${a}', 1, /unexpected "&&"/],
    ['${a} ${b}', 6, /unexpected "b"/],
    ['(${a}', 6, /expected \)/],
    ['${a})', 5, /unexpected "\)"/],
    ['()', 2, /unexpected "\)"/],
    [`'open`, 1, /closing quote/],
    [`"wrong' == 1`, 1, /closing quote/],
    [`'a\\n'`, 1, /escape/],
    [`'a\nb'`, 1, /closing quote/],
    [`'\${a}' == 1`, 1, /outside of quotes/],
    ['1e5', 1, /quotes/],
    ['1234567890123456', 1, /quotes/],
    ['1.', 1, /quotes/],
    ['${a} + 1', 6, /unexpected "\+"/],
    ['${a}; 1', 5, /unexpected ";"/],
    ['process.exit()', 1, /quotes/],
    ['`${a}`', 1, /unexpected/],
    ['this[0]', 5, /unexpected/],
    ['function(){}', 11, /unexpected "{"/],
    ['&foo(1)', 1, /unknown function "&foo"/],
    ['&constructor()', 1, /unknown function/],
    ['&hour', 6, /parentheses/],
    ['&hour(9-17', 6, /parentheses/],
    ['&hour((9))', 6, /parentheses/],
    ['&hour(24)', 7, /0 to 23/],
    ['&hour(9,17,25)', 12, /0 to 23/],
    ['&hour(9-)', 7, /0 to 23/],
    ['&hour(1-2-3)', 7, /0 to 23/],
    ['&hour(9;17)', 7, /0 to 23/],
    ['&hour(${h})', 7, /0 to 23/],
    ['&wday(8)', 7, /1 to 7/],
    ['&wday(monday)', 7, /1 to 7/],
    ['&mon(0)', 6, /1 to 12/],
    ['&year(10000)', 7, /0 to 9999/],
    ['&mday(32)', 7, /1 to 31/],
    ['&yday(0)', 7, /1 to 366/],
    ['&week(54)', 7, /1 to 53/],
    ['&mweek(7)', 8, /1 to 6/],
    ['&minute(60)', 9, /0 to 59/],
    ['&minute_of_day(1441)', 16, /1 to 1440/],
    ['&minute_of_day(0)', 16, /1 to 1440/],
    ['&time_of_day(8-17)', 14, /two times/],
    ['&time_of_day(25:00-26:00)', 14, /two times/],
    ['&date_time(2026-02-29 00:00~2026-03-01 00:00)', 12, /two moments/],
    ['&date_time(2026-03-02 00:00~2026-03-01 00:00)', 12, /two moments/],
    ['&date_time(2026-01-01)', 12, /two moments/],
    ['&match(/(/, ${a})', 8, /missing closing \), at character 1/],
    ['&match(/(?=a)b/, ${a})', 8, /Perl syntax/],
    ['&match(/(a)\\1/, ${a})', 8, /escape sequence/],
    ['&match(/a/x, ${a})', 8, /flags "x"/],
    ['&match(/a/)', 11, /expected ,/],
    ['&match(${a}, /a/)', 8, /expected a pattern/],
    ['&match(/a, ${a})', 8, /closing \//],
    ['&match(//, ${a})', 8, /closing \//],
    [`&match(/${'a'.repeat(257)}/, 1)`, 8, /256 characters/],
    ['/a/', 1, /unexpected/],
    ['&exists(account)', 1, /2 to 4 values/],
    ['&exists()', 1, /2 to 4 values/],
    ['&exists(account, 1', 19, /expected \)/],
    ['&exists account', 9, /expected \(/],
    ['&limit()', 1, /1 to 4 values/],
    ['&limit(1,2,3,4,5)', 1, /1 to 4 values/],
    ['&limit(1,)', 10, /unexpected "\)"/],
    ['&limit(&hour())', 8, /unexpected/],
    ['\u0000', 1, /unexpected/],
    ['\ud800', 1, /unexpected/],
    [`${'('.repeat(21)}1`, 22, /deeper than 20/],
    [`${'!'.repeat(30)}1`, 22, /deeper than 20/],
    ['1'.padEnd(1_025), 1_025, /at most 1024/],
  ])('the expression %j is refused at character %i', (source, character, problem) => {
    const refusal = refusalOf(source)

    expect(refusal?.code).toBe('invalid_field')
    expect(refusal?.details?.[0]).toMatchObject({ field: 'e', problem: expect.stringMatching(problem) })
    expect(refusal?.details?.[0]?.problem).toMatch(new RegExp(`^at character ${character}: `))
  })
})

describe('hostile patterns', () => {
  it.each(['(a+)+$', '(a|a)*$', '(.*)*b', '([a-zA-Z]+)*x', '(x+x+)+y', '^(\\d+)*$', '(((.{9}){9}){9}){1}'])(
    '%s is taken, since it is matched in linear time',
    (pattern) => {
      expect(parse(`&match(/${pattern}/, \${a})`)).toMatchObject({ kind: 'match', pattern })
    },
  )

  it.each(['((a{100}){100}){100}', 'a{1001}', '((((a{30}){30}){30}){30})'])('%s is refused as too large', (pattern) => {
    expect(refusalOf(`&match(/${pattern}/, \${a})`)?.message).toMatch(/invalid repeat count/)
  })
})

describe('whatever is written', () => {
  const seeded = { seed: 20_260_115, numRuns: breadth(125, 500) }
  const pieces =
    `\${a} \${ } ' " 'x' / /a/ & && || | ! = == <= ( ) , &hour( &match( &exists( 9-17 08:00 - 1 0 true x \\ 💥 {`
      .split(' ')
      .concat(' ', '\n', '\u0000')
  const garbage = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join('')),
  )

  it('any text as an expression is parsed or refused, and no other error is thrown', () => {
    fc.assert(
      fc.property(garbage, (source) => {
        try {
          parse(source)
        } catch (error) {
          if (!(error instanceof DomainError) || error.code !== 'invalid_field') throw error
          expect(Number(/at character (\d+)/.exec(error.message)?.[1])).toBeLessThanOrEqual(source.length + 1)
        }
      }),
      { ...seeded, numRuns: breadth(1250, 5_000) },
    )
  })

  it('an expression that is printed and parsed again is the same', () => {
    fc.assert(
      fc.property(anExpression, (tree) => {
        expect(parse(write(tree))).toEqual(tree)
      }),
      seeded,
    )
  })

  it('a valid expression with one changed character is parsed or refused', () => {
    fc.assert(
      fc.property(anExpression, fc.nat(), fc.constantFrom(...pieces), (tree, where, piece) => {
        const source = write(tree)
        const at = where % (source.length + 1)
        const refusal = refusalOf(source.slice(0, at) + piece + source.slice(at + 1))
        expect(refusal?.code ?? 'invalid_field').toBe('invalid_field')
      }),
      seeded,
    )
  })
})

function refusalOf(source: string): DomainError | undefined {
  try {
    parse(source)
    return undefined
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
}

const anOperand: fc.Arbitrary<Operand> = fc.oneof(
  fc.constantFrom('a', 'caller_id_number', 'Caller-ID', 'x.y', 'list[3]').map(variable),
  fc.oneof(fc.boolean(), fc.integer({ min: -999, max: 999 }), fc.constantFrom('', 'x', "it's", '"', '\\')).map(literal),
)

const { anExpression } = fc.letrec<{ anExpression: Expression }>((tie) => ({
  anExpression: fc.oneof(
    { depthSize: 'small', maxDepth: 4, withCrossShrink: true },
    anOperand,
    fc.constantFrom<Expression>(
      { kind: 'time', name: 'hour', spans: ['9-17', '20'] },
      { kind: 'time', name: 'wday', spans: [] },
      { kind: 'match', pattern: '^38(\\d+)', flags: 'i', subject: variable('n') },
      { kind: 'call', name: 'exists', values: [literal('account'), literal(1000)] },
    ),
    tie('anExpression').map((operand): Expression => ({ kind: 'not', operand })),
    fc
      .tuple(fc.constantFrom<'and' | 'or'>('and', 'or'), fc.array(tie('anExpression'), { minLength: 2, maxLength: 3 }))
      .map(([kind, operands]): Expression => ({ kind, operands })),
    fc
      .tuple(fc.constantFrom<Comparison>('==', '!=', '<', '>', '<=', '>='), tie('anExpression'), tie('anExpression'))
      .map(([operator, left, right]): Expression => ({ kind: 'compare', operator, left, right })),
  ),
}))

/** Writes a tree with parentheses around every part, so that no rule of binding is needed. */
function write(tree: Expression): string {
  if (tree.kind === 'variable') return `\${${tree.name}}`
  if (tree.kind === 'literal') {
    return typeof tree.value === 'string' ? `'${tree.value.replaceAll(/['\\]/g, '\\$&')}'` : String(tree.value)
  }
  if (tree.kind === 'time') return `&${tree.name}(${tree.spans.join(', ')})`
  if (tree.kind === 'match') return `&match(/${tree.pattern}/${tree.flags}, ${write(tree.subject)})`
  if (tree.kind === 'call') return `&${tree.name}(${tree.values.map(write).join(', ')})`
  if (tree.kind === 'not') return `!(${write(tree.operand)})`
  if (tree.kind === 'compare') return `(${write(tree.left)}) ${tree.operator} (${write(tree.right)})`
  return tree.operands.map((operand) => `(${write(operand)})`).join(tree.kind === 'and' ? ' && ' : ' || ')
}
