import { type PatternJudge, maxPatternLength, splitPattern } from '../../requests/pattern.ts'
import type { Comparison, Expression, Operand } from './expression.ts'
import { type ExpressionLocation, quoted, refuse } from './refusal.ts'
import { readTimeSpans, timeFunctions } from './time-spans.ts'
import { type Token, readTokens } from './tokens.ts'

const maxLength = 1024
/** The most parentheses and negations inside one another; the parser calls itself no deeper. */
const maxDepth = 20

const comparisons: readonly string[] = ['==', '!=', '<', '>', '<=', '>='] satisfies Comparison[]

interface Reading extends ExpressionLocation {
  readonly tokens: readonly Token[]
  readonly patternProblem: PatternJudge
  next: number
}

/**
 * Reads a condition by its grammar: variables, literals, comparisons, `&&`, `||`, `!`, parentheses and the functions of
 * the contract. `!` binds first, then comparisons, then `&&`, then `||`; a comparison is not compared again. Throws
 * `invalid_field` on `field` with the character that it fails at, counted from one, and nothing else.
 */
export function parseExpression(source: string, field: string, patternProblem: PatternJudge): Expression {
  if (source.length > maxLength) throw refuse({ field }, maxLength, `must have at most ${maxLength} characters`)
  const reading: Reading = { field, patternProblem, tokens: readTokens(source, { field }), next: 0 }
  const expression = parseOr(reading, 0)
  const rest = peek(reading)
  if (rest.kind !== 'end') throw unexpected(reading, rest)
  return expression
}

function parseOr(reading: Reading, depth: number): Expression {
  const operands = [parseAnd(reading, depth)]
  while (takeSymbol(reading, '||')) operands.push(parseAnd(reading, depth))
  return oneOr('or', operands)
}

function parseAnd(reading: Reading, depth: number): Expression {
  const operands = [parseComparison(reading, depth)]
  while (takeSymbol(reading, '&&')) operands.push(parseComparison(reading, depth))
  return oneOr('and', operands)
}

function oneOr(kind: 'and' | 'or', operands: readonly Expression[]): Expression {
  const [first] = operands
  return first !== undefined && operands.length === 1 ? first : { kind, operands }
}

function parseComparison(reading: Reading, depth: number): Expression {
  const left = parseUnary(reading, depth)
  const operator = peek(reading)
  if (!isComparison(operator)) return left
  reading.next += 1
  const right = parseUnary(reading, depth)
  const again = peek(reading)
  if (isComparison(again)) throw refuse(reading, again.at, 'a comparison is not compared again; use && or parentheses')
  return { kind: 'compare', operator: operator.text, left, right }
}

function isComparison(token: Token): token is Token & { readonly text: Comparison } {
  return token.kind === 'symbol' && comparisons.includes(token.text)
}

function parseUnary(reading: Reading, depth: number): Expression {
  const token = peek(reading)
  if (depth > maxDepth) throw refuse(reading, token.at, `nested deeper than ${maxDepth} levels`)
  if (takeSymbol(reading, '!')) return { kind: 'not', operand: parseUnary(reading, depth + 1) }
  if (takeSymbol(reading, '(')) {
    const inner = parseOr(reading, depth + 1)
    expectSymbol(reading, ')')
    return inner
  }
  if (token.kind === 'function') return parseFunction(reading, token)
  if (token.kind === 'word' && !isBoolean(token.text)) {
    throw refuse(reading, token.at, `${quoted(token.text)} must stand in quotes, or be a variable such as \${name}`)
  }
  return parseOperand(reading)
}

function parseFunction(reading: Reading, { text: name, at }: Token): Expression {
  reading.next += 1
  if (timeFunctions.has(name)) {
    const { text, at: start } = take(reading)
    return { kind: 'time', name, spans: readTimeSpans(name, text, start, reading) }
  }
  if (name !== 'match' && name !== 'exists' && name !== 'limit') {
    throw refuse(reading, at, `unknown function ${quoted(`&${name}`)}`)
  }
  expectSymbol(reading, '(')
  if (name === 'match') return parseMatch(reading)
  const values: Operand[] = []
  if (!takeSymbol(reading, ')')) {
    do values.push(parseOperand(reading))
    while (takeSymbol(reading, ','))
    expectSymbol(reading, ')')
  }
  const least = name === 'exists' ? 2 : 1
  if (values.length < least || values.length > 4) {
    throw refuse(reading, at, `&${name} takes ${least} to 4 values, as in ${examples[name]}`)
  }
  return { kind: 'call', name, values }
}

const examples = { exists: '&exists(account, 1000)', limit: '&limit(5)' } as const

function parseMatch(reading: Reading): Expression {
  const token = take(reading)
  if (token.kind !== 'pattern' && token.kind !== 'text') {
    throw refuse(reading, token.at, 'expected a pattern, as in &match(/^38/, ${destination_number})')
  }
  const { pattern, flags } =
    token.kind === 'pattern' ? { pattern: token.text, flags: token.flags } : splitPattern(token.text)
  if (pattern.length > maxPatternLength) {
    throw refuse(reading, token.at, `a pattern has at most ${maxPatternLength} characters`)
  }
  const problem = reading.patternProblem(pattern, flags)
  if (problem !== undefined) throw refuse(reading, token.at, `in this pattern: ${problem}`)
  expectSymbol(reading, ',')
  const subject = parseOperand(reading)
  expectSymbol(reading, ')')
  return { kind: 'match', pattern, flags, subject }
}

function parseOperand(reading: Reading): Operand {
  const token = take(reading)
  if (token.kind === 'variable') return { kind: 'variable', name: token.text }
  if (token.kind === 'number') return { kind: 'literal', value: Number(token.text) }
  if (token.kind === 'word' && isBoolean(token.text)) return { kind: 'literal', value: token.text === 'true' }
  if (token.kind === 'text' || token.kind === 'word') return { kind: 'literal', value: token.text }
  throw unexpected(reading, token)
}

function isBoolean(word: string): boolean {
  return word === 'true' || word === 'false'
}

function peek({ tokens, next }: Reading): Token {
  return tokens[Math.min(next, tokens.length - 1)] ?? { kind: 'end', text: '', at: 0 }
}

function take(reading: Reading): Token {
  const token = peek(reading)
  reading.next += 1
  return token
}

function takeSymbol(reading: Reading, text: string): boolean {
  const token = peek(reading)
  if (token.kind !== 'symbol' || token.text !== text) return false
  reading.next += 1
  return true
}

function expectSymbol(reading: Reading, text: string): void {
  if (takeSymbol(reading, text)) return
  const { at, kind, text: found } = peek(reading)
  throw refuse(reading, at, kind === 'end' ? `expected ${text}` : `expected ${text} before ${quoted(found)}`)
}

function unexpected(place: ExpressionLocation, { kind, text, at }: Token) {
  return refuse(place, at, kind === 'end' ? 'the expression ends here, expected a value' : `unexpected ${quoted(text)}`)
}
