import { matchesParts } from '@callplane/laptop/match-parts'
import { listedAs } from './field.ts'

/**
 * Returns whether a text matches a pattern of OpenSearch: `*` stands for any text, `?` for one character, and a
 * character after a backslash for itself. A character is a Unicode code point.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  return matchesParts(partsOf(pattern), Array.from(text), { anyText, anyCharacter })
}

const anyText = Symbol('any text')
const anyCharacter = Symbol('any character')

type Part = string | typeof anyText | typeof anyCharacter

const read = new Map<string, readonly Part[]>()
/** Patterns that are kept as read: those of one search, called for each row. */
const maxRead = 100

function partsOf(pattern: string): readonly Part[] {
  const known = read.get(pattern)
  if (known !== undefined) return known
  const parts: Part[] = []
  const characters = Array.from(pattern)
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? ''
    if (character === '*') parts.push(anyText)
    else if (character === '?') parts.push(anyCharacter)
    else if (character === '\\' && at + 1 < characters.length) {
      at += 1
      parts.push(characters[at] ?? '')
    } else parts.push(character)
  }
  if (read.size >= maxRead) read.clear()
  read.set(pattern, parts)
  return parts
}

const separator = listedAs('', 'prefix')

/**
 * Returns a pattern for SQLite's GLOB that matches every text that a pattern of OpenSearch matches, and few others. For
 * a list (see `valueList`) it matches lists with a matching value; because of the list's escapes, `?` may be two
 * characters.
 */
export function globOf(pattern: string, isList: boolean): string {
  const pieces = partsOf(pattern).map((part) => {
    if (part === anyText || (part === anyCharacter && isList)) return '*'
    if (part === anyCharacter) return '?'
    const text = isList ? listedAs(part, 'prefix').slice(separator.length) : part
    return /^[*?[]$/.test(text) ? `[${text}]` : text
  })
  const glob = pieces.join('').replaceAll(/\*{2,}/g, '*')
  return isList ? `*${separator}${glob}${separator}*` : glob
}
