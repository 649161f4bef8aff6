import { isEscape, valueAt } from './json-text.ts'
import { type HeaderValues, REPEATING_HEADERS } from './lazy-event.ts'
import { isAsciiWithout, ownText } from './own-text.ts'
import type { WantedHeaders } from './wanted-headers.ts'

const QUOTE = 34
const COMMA = 44
const COLON = 58
const BACKSLASH = 92
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** Longer bodies are left to others; an engine's events have a few thousand bytes. */
const MAX_BYTES = 64 * 1024

/** The body that is read, followed by a zero, which ends every text. */
const scratch = Buffer.alloc(MAX_BYTES + 4)
const words = new DataView(scratch.buffer, scratch.byteOffset, scratch.length)

/**
 * Returns the values of the wanted headers of a body that is written as engines usually write it: one object of texts,
 * without white space between its parts, and only with escapes of one character. `text` has one character for each byte
 * of the body. `undefined` for any other body, valid or not.
 */
export function pickUsual(bytes: Buffer, text: string, wanted: WantedHeaders): HeaderValues | undefined {
  const { length } = bytes
  if (length > MAX_BYTES) return undefined
  scratch.set(bytes)
  scratch[length] = 0
  if (scratch[0] !== OPEN_BRACE || scratch[1] !== QUOTE) return undefined
  const { firsts } = wanted
  const found: number[] = []
  for (let at = 2; ; ) {
    const keyEnd = endOfText(at)
    if (keyEnd < 0 || scratch[keyEnd + 1] !== COLON || scratch[keyEnd + 2] !== QUOTE) return undefined
    const end = endOfText(keyEnd + 3)
    if (end < 0) return undefined
    if (firsts[scratch[at] ?? QUOTE] === 1) {
      const index = wanted.indexAt(scratch, at, keyEnd)
      if (index >= 0) found.push(index, keyEnd + 3, end)
    }
    const next = scratch[end + 1]
    if (next === CLOSE_BRACE) return end + 2 === length ? valuesOf(found, text) : undefined
    if (next !== COMMA || scratch[end + 2] !== QUOTE) return undefined
    at = end + 3
  }
}

/** The values of members that were found, from triples of a header's index and the offsets of its text. */
function valuesOf(found: readonly number[], text: string): HeaderValues {
  const values: HeaderValues = []
  for (let at = 0; at < found.length; at += 3) {
    const index = found[at] ?? 0
    const start = found[at + 1] ?? 0
    const end = found[at + 2] ?? 0
    values[index] = isAsciiWithout(BACKSLASH, scratch, start, end)
      ? ownText(scratch, text, start, end, REPEATING_HEADERS[index] === true)
      : valueAt(scratch, start - 1, end + 1)
  }
  return values
}

/**
 * The offset of the quote that ends a text, or -1. Looks at four bytes in one step, for most of them end nothing: of a
 * word, `(word - 0x01010101) & ~word` sets the high bit of its lowest byte that is zero, and of no byte below it.
 */
function endOfText(from: number): number {
  let at = from
  for (;;) {
    const word = words.getInt32(at, true)
    const quote = word ^ 0x22222222
    const backslash = word ^ 0x5c5c5c5c
    const control = (word - 0x20202020) & ~word
    const stops = (((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | control) & 0x80808080
    if (stops === 0) {
      at += 4
      continue
    }
    at += (31 - Math.clz32(stops & -stops)) >> 3
    const byte = scratch[at]
    if (byte === QUOTE) return at
    if (byte !== BACKSLASH || !isEscape(scratch[at + 1])) return -1
    at += 2
  }
}
