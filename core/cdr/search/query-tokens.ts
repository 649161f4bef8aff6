import { refused } from './refusal.ts'

/** A character of a text, and whether a backslash stood before it. */
export interface QueryChar {
  readonly char: string
  readonly isEscaped: boolean
}

/** A token of a query's text. `at` is the position of its first character, from 1. */
export type QueryToken = { readonly at: number } & (
  | {
      readonly kind: 'word'
      readonly chars: readonly QueryChar[]
      /** Whether it begins with a plus sign, which is a part of the number and requires it as well. */
      readonly isRequired?: true
    }
  | { readonly kind: 'phrase'; readonly text: string }
  | { readonly kind: 'comparison'; readonly operator: '>' | '>=' | '<' | '<='; readonly text: string }
  | {
      readonly kind: 'range'
      /** Absent: open. */
      readonly from: string | undefined
      readonly to: string | undefined
      readonly isFromIncluded: boolean
      readonly isToIncluded: boolean
    }
  | { readonly kind: 'and' | 'or' | 'not' | 'plus' | 'minus' | '(' | ')' | ':' }
)

/** Characters that a word cannot have unless they are escaped; it can have `+` and `-`, but not begin with them. */
const special = /[\s!():^[\]"{}~/]/u

/** A phone number as E.164 writes it, or the beginning of one. Before any shorter number, `+` is an operator. */
const phoneNumber = /^\+[1-9](?:\d{6,14}|\d*[*?][\d*?]*)(?=[\s()^]|$)/u

const signs: ReadonlyMap<string, '(' | ')' | ':' | 'not' | 'plus' | 'minus'> = new Map([
  ['(', '('],
  [')', ')'],
  [':', ':'],
  ['!', 'not'],
  ['+', 'plus'],
  ['-', 'minus'],
] as const)

const operators: ReadonlyMap<string, 'and' | 'or' | 'not'> = new Map([
  ['AND', 'and'],
  ['&&', 'and'],
  ['OR', 'or'],
  ['||', 'or'],
  ['NOT', 'not'],
] as const)

/** Splits a query's text into tokens. `where` is its path in the body. Throws `query_refused` for bad syntax. */
export function queryTokens(text: string, where: string): readonly QueryToken[] {
  const tokens: QueryToken[] = []
  const cursor: Cursor = { text, at: 0, where }
  for (skipSpace(cursor); cursor.at < text.length; skipSpace(cursor)) {
    const token = nextToken(cursor, tokens.at(-1))
    if (token !== undefined) tokens.push(token)
  }
  return tokens
}

interface Cursor {
  readonly text: string
  readonly where: string
  at: number
}

function nextToken(cursor: Cursor, previous: QueryToken | undefined): QueryToken | undefined {
  const at = cursor.at + 1
  const char = cursor.text.charAt(cursor.at)
  const [number] = phoneNumber.exec(cursor.text.slice(cursor.at, cursor.at + 32)) ?? []
  if (number !== undefined) {
    cursor.at += number.length
    const chars = number.split('').map((each) => ({ char: each, isEscaped: false }))
    return { kind: 'word', at, chars, isRequired: true }
  }
  const sign = signs.get(char)
  if (sign !== undefined) {
    cursor.at += 1
    return { kind: sign, at }
  }
  switch (char) {
    case '"':
      return { kind: 'phrase', at, text: quoted(cursor) }
    case '[':
    case '{':
      return range(cursor)
    case '^':
      return boost(cursor, previous)
    case '<':
    case '>':
      return comparison(cursor)
    case '~':
      throw wrong(cursor, 'fuzzy and proximity search (~) is not offered; write \\~ for the character')
    case '/':
      throw wrong(cursor, 'regular expressions are not offered; write \\/ for the character')
    case ']':
    case '}':
      throw wrong(cursor, `there is no range that ${char} could end; write \\${char} for the character`)
    default:
      return word(cursor)
  }
}

function wrong({ where, at }: Cursor, problem: string): Error {
  return refused(where, `character ${at + 1}: ${problem}`)
}

function skipSpace(cursor: Cursor): void {
  while (/\s/u.test(cursor.text.charAt(cursor.at))) cursor.at += 1
}

function word(cursor: Cursor): QueryToken {
  const at = cursor.at + 1
  const chars: QueryChar[] = []
  while (cursor.at < cursor.text.length && !special.test(cursor.text.charAt(cursor.at))) chars.push(oneChar(cursor))
  const text = chars.some(({ isEscaped }) => isEscaped) ? '' : chars.map(({ char }) => char).join('')
  const operator = operators.get(text)
  return operator === undefined ? { kind: 'word', at, chars } : { kind: operator, at }
}

/** Takes one character, or two where the first is a backslash, or six of the form `\u0041`. */
function oneChar(cursor: Cursor): QueryChar {
  const point = cursor.text.codePointAt(cursor.at) ?? 0
  const char = String.fromCodePoint(point)
  cursor.at += char.length
  if (char !== '\\') return { char, isEscaped: false }
  const escaped = cursor.text.codePointAt(cursor.at)
  if (escaped === undefined) throw wrong(cursor, 'a backslash must be followed by a character')
  const literal = String.fromCodePoint(escaped)
  cursor.at += literal.length
  if (literal !== 'u') return { char: literal, isEscaped: true }
  const code = /^[0-9a-fA-F]{4}/.exec(cursor.text.slice(cursor.at, cursor.at + 4))?.[0]
  if (code === undefined) throw wrong(cursor, '\\u must be followed by four hexadecimal digits')
  cursor.at += 4
  return { char: String.fromCharCode(Number.parseInt(code, 16)), isEscaped: true }
}

function quoted(cursor: Cursor): string {
  cursor.at += 1
  const chars: string[] = []
  while (cursor.text.charAt(cursor.at) !== '"') {
    if (cursor.at >= cursor.text.length) throw wrong(cursor, 'a quotation mark is missing; write \\" for the character')
    chars.push(oneChar(cursor).char)
  }
  cursor.at += 1
  return chars.join('')
}

/** Skips the boost of a word for the order by relevance, which hits do not have. */
function boost(cursor: Cursor, previous: QueryToken | undefined): undefined {
  const number = /^\^\d+(?:\.\d+)?(?=[\s)]|$)/u.exec(cursor.text.slice(cursor.at, cursor.at + 32))?.[0]
  const followsClause = previous !== undefined && ['word', 'phrase', 'range', ')'].includes(previous.kind)
  if (number === undefined || !followsClause)
    throw wrong(cursor, 'a boost is ^ and a number; write \\^ for the character')
  cursor.at += number.length
  return undefined
}

function comparison(cursor: Cursor): QueryToken {
  const at = cursor.at + 1
  const sign = cursor.text.charAt(cursor.at)
  cursor.at += 1
  const isOrEqual = cursor.text.charAt(cursor.at) === '='
  if (isOrEqual) cursor.at += 1
  skipSpace(cursor)
  const text = operand(cursor, /[\s()]/u)
  if (text === undefined) throw wrong(cursor, 'a value to compare with is missing')
  const operator = sign === '>' ? (isOrEqual ? '>=' : '>') : isOrEqual ? '<=' : '<'
  return { kind: 'comparison', at, operator, text }
}

function range(cursor: Cursor): QueryToken {
  const at = cursor.at + 1
  const isFromIncluded = cursor.text.charAt(cursor.at) === '['
  cursor.at += 1
  const from = rangeEnd(cursor)
  skipSpace(cursor)
  if (!/^TO\s/u.test(cursor.text.slice(cursor.at, cursor.at + 3))) throw wrong(cursor, 'a range is [from TO to]')
  cursor.at += 2
  const to = rangeEnd(cursor)
  skipSpace(cursor)
  const end = cursor.text.charAt(cursor.at)
  if (end !== ']' && end !== '}') throw wrong(cursor, 'a range must end with ] or }')
  cursor.at += 1
  return { kind: 'range', at, from, to, isFromIncluded, isToIncluded: end === ']' }
}

function rangeEnd(cursor: Cursor): string | undefined {
  skipSpace(cursor)
  const isOpen = /^\*[\s\]}]/u.test(cursor.text.slice(cursor.at, cursor.at + 2))
  const text = operand(cursor, /[\s\]}]/u)
  if (text === undefined) throw wrong(cursor, 'a range is [from TO to], and * is an open end')
  return isOpen ? undefined : text
}

function operand(cursor: Cursor, ends: RegExp): string | undefined {
  if (cursor.text.charAt(cursor.at) === '"') return quoted(cursor)
  const chars: string[] = []
  while (cursor.at < cursor.text.length && !ends.test(cursor.text.charAt(cursor.at))) chars.push(oneChar(cursor).char)
  return chars.length === 0 ? undefined : chars.join('')
}
