import { type ExpressionLocation, quoted, refuse } from './refusal.ts'
import { timeFunctions } from './time-spans.ts'

/** One word of an expression; `at` is the offset of its first character. */
export type Token =
  | { readonly kind: 'symbol' | 'word' | 'text' | 'number' | 'variable'; readonly text: string; readonly at: number }
  | { readonly kind: 'pattern'; readonly text: string; readonly flags: string; readonly at: number }
  | { readonly kind: 'function'; readonly text: string; readonly at: number }
  /** The text between the parentheses of a time function. */
  | { readonly kind: 'spans'; readonly text: string; readonly at: number }
  | { readonly kind: 'end'; readonly text: string; readonly at: number }

/** No two of them begin with the same characters, except number and word: a longer match is a word. */
const rules = {
  space: /[ \t\r\n]+/y,
  variable: /\$\{([A-Za-z_][\w.:-]{0,127}(?:\[\d{1,4}\])?)\}/y,
  symbol: /&&|\|\||[=!<>]=|[()<>!,]/y,
  function: /&([a-z_]{1,32})(?![\w])/y,
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  text: /'((?:[^'\\\u0000-\u001f\u007f]|\\['"\\])*)'|"((?:[^"\\\u0000-\u001f\u007f]|\\['"\\])*)"/y,
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  pattern: /\/((?:[^/\\\u0000-\u001f\u007f]|\\[^\u0000-\u001f\u007f])+)\/([A-Za-z]*)/y,
  number: /(-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?)(?![\w.@-])/y,
  word: /([A-Za-z0-9_][\w.@-]{0,127})/y,
} as const

const order = ['space', 'variable', 'symbol', 'function', 'text', 'pattern', 'number', 'word'] as const

/** Splits an expression into tokens; the last is the end. Throws `invalid_field` at the first invalid one. */
export function readTokens(source: string, place: ExpressionLocation): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < source.length; ) {
    const found = order.map((kind) => ({ kind, match: matchAt(rules[kind], source, at) })).find(({ match }) => match)
    if (found?.match === undefined || found.match === null) throw refuse(place, at, problemAt(source, at))
    const { kind, match } = found
    at += match[0].length
    if (kind === 'space') continue
    const token = tokenOf(kind, match, place)
    tokens.push(token)
    if (token.kind === 'function' && timeFunctions.has(token.text)) at = readSpans(source, at, tokens, place)
  }
  return [...tokens, { kind: 'end', text: '', at: source.length }]
}

function matchAt(rule: RegExp, source: string, at: number): RegExpExecArray | null {
  rule.lastIndex = at
  return rule.exec(source)
}

function tokenOf(kind: Exclude<keyof typeof rules, 'space'>, match: RegExpExecArray, place: ExpressionLocation): Token {
  const at = match.index
  if (kind === 'symbol') return { kind, text: match[0], at }
  if (kind === 'pattern') return { kind, text: match[1] ?? '', flags: match[2] ?? '', at }
  if (kind !== 'text') return { kind, text: match[1] ?? '', at }
  const text = (match[1] ?? match[2] ?? '').replaceAll(/\\(.)/g, '$1')
  if (text.includes('${')) throw refuse(place, at, 'a variable stands outside of quotes, as in ${name} == "value"')
  return { kind, text, at }
}

/** Takes the parentheses of a time function as a whole: `08:00-17:00` is no other word of the grammar. */
function readSpans(source: string, at: number, tokens: Token[], place: ExpressionLocation): number {
  const match = matchAt(/\s*\(([^()]*)\)/y, source, at)
  if (match === null) throw refuse(place, at, 'expected its spans in parentheses, as in &hour(9-17)')
  const [whole, text = ''] = match
  tokens.push({ kind: 'spans', text, at: at + whole.indexOf('(') + 1 })
  return at + whole.length
}

function problemAt(source: string, at: number): string {
  const rest = source.slice(at)
  if (rest.startsWith('$')) return 'expected a variable such as ${caller_id_number}'
  if (/^['"]/.test(rest)) return 'text without its closing quote, or with a wrong escape'
  if (rest.startsWith('/')) return 'pattern without its closing /'
  if (rest.startsWith('=')) return 'expected == to compare'
  if (rest.startsWith('&')) return 'expected && or a function such as &hour(9-17)'
  if (rest.startsWith('|')) return 'expected ||'
  if (/^-?\d/.test(rest)) return 'too long a number; put it in quotes'
  return `unexpected ${quoted(String.fromCodePoint(source.codePointAt(at) ?? 0))}`
}
