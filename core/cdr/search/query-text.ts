import type { Clause } from '../search-plan.ts'
import type { SearchBudget } from './search-budget.ts'
import {
  type ConditionContext,
  type SearchField,
  anyOf,
  equalsOf,
  existsOf,
  fieldOf,
  rangeOf,
  wildcardOf,
} from './field-conditions.ts'
import { type Occurrence, joined } from './query-operators.ts'
import { type QueryChar, type QueryToken, queryTokens } from './query-tokens.ts'
import { refused } from './refusal.ts'

/** The context in which the text of a query is read. */
export interface QueryTextContext extends ConditionContext {
  readonly fields: readonly SearchField[]
  readonly isAndDefault: boolean
  readonly budget: SearchBudget
  readonly depth: number
}

const maxText = 1024

/**
 * Reads the classic query syntax: words, "phrases", wildcards, ranges and comparisons, each of a named field or of the
 * given fields, with AND, OR, NOT, &&, ||, !, + and - as Lucene's classic parser understands them. `where` is the
 * text's path in the body. Throws `query_refused`. Text without a clause finds nothing.
 */
export function readQueryText(text: string, where: string, context: QueryTextContext): Clause {
  if (text.length > maxText) throw refused(where, `must have at most ${maxText} characters`)
  const reader: Reader = { tokens: queryTokens(text, where), at: 0, where, context }
  if (reader.tokens.length === 0) return { kind: 'none' }
  const clause = readGroup(reader, context.fields, context.depth)
  if (reader.at < reader.tokens.length) throw wrong(reader, 'there is no ( that this ) could end')
  return clause
}

interface Reader {
  readonly tokens: readonly QueryToken[]
  readonly where: string
  readonly context: QueryTextContext
  at: number
}

function wrong({ tokens, at, where }: Reader, problem: string): Error {
  const token = tokens[at]
  return refused(where, token === undefined ? `at its end: ${problem}` : `character ${token.at}: ${problem}`)
}

function readGroup(reader: Reader, fields: readonly SearchField[], depth: number): Clause {
  reader.context.budget.checkDepth(depth, reader.where)
  const occurrences: Occurrence[] = []
  const isAtEnd = () => [undefined, ')'].includes(reader.tokens[reader.at]?.kind)
  do {
    const conjunction = occurrences.length === 0 ? undefined : take(reader, 'and', 'or')
    const modifier = take(reader, 'plus', 'minus', 'not') ?? plusOfNumber(reader, conjunction)
    const run = conjunction === undefined && modifier === undefined ? wordRun(reader) : []
    const clause = run.length > 1 ? readRun(reader, run, fields) : readClause(reader, fields, depth)
    occurrences.push({ conjunction, modifier, clause })
  } while (!isAtEnd())
  return joined(occurrences, reader.context.isAndDefault)
}

/**
 * Returns `plus` for a number that begins with a plus sign, which then must occur, except among numbers joined by OR.
 */
function plusOfNumber({ tokens, at }: Reader, conjunction: 'and' | 'or' | undefined): 'plus' | undefined {
  const [token, next] = [tokens[at], tokens[at + 1]]
  if (token?.kind !== 'word' || token.isRequired !== true) return undefined
  return conjunction === 'or' || next?.kind === 'or' ? undefined : 'plus'
}

function take<K extends QueryToken['kind']>(reader: Reader, ...kinds: readonly K[]): K | undefined {
  const kind = kinds.find((wanted) => wanted === reader.tokens[reader.at]?.kind)
  if (kind !== undefined) reader.at += 1
  return kind
}

function wordRun({ tokens, at }: Reader): readonly string[] {
  const words: string[] = []
  for (let index = at; ; index += 1) {
    const [token, next] = [tokens[index], tokens[index + 1]]
    if (token?.kind !== 'word' || token.isRequired === true || isPattern(token.chars)) return words
    if (next !== undefined && [':', 'and', 'or'].includes(next.kind)) return words
    words.push(textOf(token.chars))
  }
}

function readRun(reader: Reader, words: readonly string[], fields: readonly SearchField[]): Clause {
  const { budget, isAndDefault } = reader.context
  budget.count(words.length, reader.where)
  const whole = (field: SearchField) => (field.type === 'text' ? [words.join(' ')] : [])
  const equals = (field: SearchField, values: readonly string[]) => {
    return equalsOf(field, values, `${reader.where}, character ${reader.tokens[reader.at]?.at}`, reader.context)
  }
  const wholes = fields.map((field) => equals(field, isAndDefault ? whole(field) : [...words, ...whole(field)]))
  const each = words.map((word) => anyOf(fields.map((field) => equals(field, [word]))))
  reader.at += words.length
  return isAndDefault
    ? anyOf([...wholes, { kind: 'bool', must: each, mustNot: [], should: [], leastShould: 0 }])
    : anyOf(wholes)
}

function readClause(reader: Reader, given: readonly SearchField[], depth: number): Clause {
  const [first, second] = [reader.tokens[reader.at], reader.tokens[reader.at + 1]]
  if (first?.kind !== 'word' || second?.kind !== ':') return readTerm(reader, given, depth)
  const name = textOf(first.chars)
  reader.at += 2
  if (name === '_exists_' && !first.chars.some(({ isEscaped }) => isEscaped)) return readExists(reader)
  return readTerm(reader, [fieldOf(name, `${reader.where}, character ${first.at}`)], depth, true)
}

function readExists(reader: Reader): Clause {
  const token = reader.tokens[reader.at]
  if (token?.kind !== 'word' && token?.kind !== 'phrase')
    throw wrong(reader, '_exists_: must be followed by the name of a field')
  reader.context.budget.count(1, reader.where)
  reader.at += 1
  const name = token.kind === 'word' ? textOf(token.chars) : token.text
  return existsOf(fieldOf(name, `${reader.where}, character ${token.at}`))
}

function readTerm(reader: Reader, fields: readonly SearchField[], depth: number, hasField = false): Clause {
  const token = reader.tokens[reader.at]
  if (token?.kind === '(') {
    reader.at += 1
    const clause = readGroup(reader, fields, depth + 1)
    if (take(reader, ')') === undefined) throw wrong(reader, 'a ) is missing')
    return clause
  }
  if (!isCondition(token)) {
    throw wrong(reader, hasField ? 'a value is missing after the field' : 'a word, phrase or ( is missing')
  }
  reader.context.budget.count(1, reader.where)
  const clause = anyOf(
    fields.map((field) => condition(token, field, `${reader.where}, character ${token.at}`, reader.context)),
  )
  reader.at += 1
  return clause
}

type ConditionToken = Extract<QueryToken, { readonly kind: 'word' | 'phrase' | 'range' | 'comparison' }>

function isCondition(token: QueryToken | undefined): token is ConditionToken {
  return token !== undefined && ['word', 'phrase', 'range', 'comparison'].includes(token.kind)
}

function condition(token: ConditionToken, field: SearchField, at: string, context: ConditionContext): Clause {
  switch (token.kind) {
    case 'word':
      if (!isPattern(token.chars)) return equalsOf(field, [textOf(token.chars)], at, context)
      return wildcardOf(field, patternOf(token.chars), at)
    case 'phrase':
      return equalsOf(field, [token.text], at, context)
    case 'range':
      return rangeOf(field, token, at, context)
    case 'comparison': {
      const end = { isFromIncluded: token.operator === '>=', isToIncluded: token.operator === '<=' }
      const isFrom = token.operator.startsWith('>')
      return rangeOf(field, { ...end, ...(isFrom ? { from: token.text } : { to: token.text }) }, at, context)
    }
  }
}

function isWild({ char, isEscaped }: QueryChar): boolean {
  return !isEscaped && (char === '*' || char === '?')
}

function isPattern(chars: readonly QueryChar[]): boolean {
  return chars.some(isWild)
}

function textOf(chars: readonly QueryChar[]): string {
  return chars.map(({ char }) => char).join('')
}

function patternOf(chars: readonly QueryChar[]): string {
  return chars.map((one) => (!isWild(one) && /[*?\\]/.test(one.char) ? `\\${one.char}` : one.char)).join('')
}
