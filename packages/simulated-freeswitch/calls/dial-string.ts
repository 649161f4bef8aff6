/** One end point of a dial string, with the variables written before it. */
export interface DialledEndpoint {
  readonly endpoint: string
  readonly variables: Readonly<Record<string, string>>
}

/** A dial string taken apart: alternatives in order, each a list of end points that are called at once. */
export interface DialString {
  readonly variables: Readonly<Record<string, string>>
  readonly alternatives: readonly (readonly DialledEndpoint[])[]
}

/**
 * Splits arguments at blanks as the engine does: single quotes keep blanks together, a backslash keeps the next
 * character from meaning anything (`control/originate-quoting`). A quote that never closes runs to the end.
 */
export function splitArguments(text: string): string[] {
  const found: string[] = []
  let current = ''
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') current += character + text.charAt(++at)
    else if (character === ' ' && !quoted) {
      if (current !== '') found.push(current)
      current = ''
    } else {
      if (character === "'") quoted = !quoted
      current += character
    }
  }
  return current === '' ? found : [...found, current]
}

/** Takes a dial string apart; nothing when a brace is never closed. */
export function parseDialString(text: string): DialString | undefined {
  const head = takeVariables(text, '{', '}')
  if (head === undefined) return undefined
  const alternatives: DialledEndpoint[][] = []
  for (const alternative of splitOutsideBrackets(head.rest, '|')) {
    const endpoints: DialledEndpoint[] = []
    for (const one of splitOutsideBrackets(alternative, ',')) {
      const own = takeVariables(one, '[', ']')
      if (own === undefined) return undefined
      endpoints.push({ endpoint: own.rest, variables: own.variables })
    }
    alternatives.push(endpoints)
  }
  return { variables: head.variables, alternatives }
}

/** Removes quotes that are not escaped and resolves the escapes: `\s` is a blank, `\n` a line feed. */
export function unquote(text: string): string {
  return text.replace(/\\(.)|'/gs, (_match, escaped: string | undefined) => {
    if (escaped === undefined) return ''
    return { s: ' ', n: '\n', r: '\r', t: '\t' }[escaped] ?? escaped
  })
}

/** Variables in front of an end point, up to the brace that closes the first; quotes protect no brace. */
function takeVariables(
  text: string,
  open: string,
  close: string,
): { variables: Record<string, string>; rest: string } | undefined {
  if (!text.startsWith(open)) return { variables: {}, rest: text }
  const end = closingAt(text, open, close)
  if (end === undefined) return undefined
  const inside = text.slice(1, end)
  const [, separator = ',', list = inside] = /^\^\^(.)(.*)$/s.exec(inside) ?? []
  return { variables: parseVariables(list, separator), rest: text.slice(end + 1) }
}

function closingAt(text: string, open: string, close: string): number | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text.charAt(at) === open) depth++
    else if (text.charAt(at) === close && --depth === 0) return at
  }
  return undefined
}

/** `a=1,b=two`; a separator counts unless a backslash stands before it, also inside quotes. */
function parseVariables(list: string, separator: string): Record<string, string> {
  const parts: string[] = []
  let current = ''
  for (let at = 0; at < list.length; at++) {
    const character = list.charAt(at)
    if (character === '\\' && list.charAt(at + 1) === separator) current += list.charAt(++at)
    else if (character === '\\') current += character + list.charAt(++at)
    else if (character === separator) {
      parts.push(current)
      current = ''
    } else current += character
  }
  const pairs = [...parts, current].flatMap((part): [string, string][] => {
    const equals = part.indexOf('=')
    return equals < 1 ? [] : [[part.slice(0, equals).trim(), expand(unquote(part.slice(equals + 1)))]]
  })
  return Object.fromEntries(pairs)
}

/** `${…}` is looked up while nothing has a value yet, and so comes out empty. */
function expand(text: string): string {
  return text.replace(/\$+\{[^}]*\}/g, '')
}

function splitOutsideBrackets(text: string, separator: string): string[] {
  return text.split(separator === '|' ? /\|(?![^[]*\])/ : /,(?![^[]*\])/)
}
