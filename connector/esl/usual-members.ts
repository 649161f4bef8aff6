import type { HeaderChanges } from './lazy-event.ts'

const COMMA = 44
const BACKSLASH = 92
const OPEN_BRACE = 123

/** Returns whether a name is written in JSON without escapes, so that the functions here find it. */
export function isPlainName(name: string): boolean {
  return /^\w[\w-]*$/.test(name)
}

/**
 * Returns the offset at which the value of a member begins, the last one of that plain name, or -1. `text` is one object of nothing but texts, without
 * white space between its parts. In such an object a quote after `{` or `,` that a word follows begins a text, and a colon after that text makes
 * it a name: no value can look like this.
 */
export function valueOfMember(text: string, name: string): number {
  // The search is quicker when it begins with a rarer character than the quote.
  const rest = `${name}":"`
  let start = -1
  for (let at = text.indexOf(rest); at >= 0; at = text.indexOf(rest, at + 1)) {
    if (isMember(text, at)) start = at + rest.length
  }
  return start
}

/** Returns the offset of the quote that ends the value that begins at `start`. */
export function endOfMember(text: string, start: number): number {
  let end = text.indexOf('"', start)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

/** Returns the object's text without the members of these plain names, however often they occur. */
export function withoutMembers(text: string, names: readonly string[]): string {
  return names.reduce(withoutMember, text)
}

/** Returns the object's text with members added at its end, so that they count instead of earlier ones of the same name. */
export function withMembers(text: string, members: HeaderChanges): string {
  const added = JSON.stringify(members)
  if (added === '{}') return text
  return text === '{}' ? added : `${text.slice(0, -1)},${added.slice(1)}`
}

function withoutMember(text: string, name: string): string {
  const rest = `${name}":"`
  let kept = ''
  let from = 0
  for (let at = text.indexOf(rest); at >= 0; at = text.indexOf(rest, at + 1)) {
    if (!isMember(text, at)) continue
    const end = endOfMember(text, at + rest.length) + 1
    kept += text.slice(from, at - 1)
    from = text.charCodeAt(end) === COMMA ? end + 1 : end
  }
  if (from === 0) return text
  kept += text.slice(from)
  // The comma before the last member: no text of the object is outside of quotes.
  return kept.endsWith(',}') ? `${kept.slice(0, -2)}}` : kept
}

/** Whether the name at this offset stands after the quote that begins a member. */
function isMember(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 2)
  return text[at - 1] === '"' && (before === COMMA || before === OPEN_BRACE)
}

/** Whether an odd number of backslashes stands before an offset. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1
  return (at - first) % 2 === 1
}
