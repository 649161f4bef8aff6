import { WantedHeaders } from './wanted-headers.ts'

const QUOTE = 34
const COMMA = 44
const COLON = 58
const BACKSLASH = 92
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const LOWER_U = 117

/** Bytes that may follow a backslash in a string, `u` apart. */
const ESCAPES = new Set(Buffer.from('"\\/bfnrt'))

/** An engine nests one array in the object. The bound keeps a made-up body from exhausting the stack. */
const MAX_DEPTH = 32

/** The member that holds the event's own body. */
const OWN_BODY = '_body'

/** The headers of `names` as a pass over a JSON body looks for them. */
export function wantedInJson(names: readonly string[]): WantedHeaders {
  return new WantedHeaders(names.map((name) => JSON.stringify(name).slice(1, -1)))
}

/**
 * The values of the wanted headers, `undefined` where absent, from one pass that decodes nothing else; or what is
 * wrong with the body. It has to be one JSON object that nothing follows. Of a repeated member the last counts.
 */
export function pickJson(bytes: Buffer, wanted: WantedHeaders): (string | undefined)[] | string {
  const spans: [number, number][] = []
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== OPEN_BRACE) return 'it is no object'
  at = skipSpace(bytes, at + 1)
  while (bytes[at] !== CLOSE_BRACE) {
    const keyEnd = bytes[at] === QUOTE ? endOfText(bytes, at + 1) : -1
    const colon = keyEnd < 0 ? -1 : skipSpace(bytes, keyEnd + 1)
    if (bytes[colon] !== COLON) return 'a member has no name'
    const start = skipSpace(bytes, colon + 1)
    const end = endOfValue(bytes, start)
    if (end < 0) return 'a member has no value'
    const index = wanted.indexAt(bytes, at + 1, keyEnd)
    if (index >= 0) spans[index] = [start, end]
    at = skipSpace(bytes, end)
    if (bytes[at] === COMMA) {
      at = skipSpace(bytes, at + 1)
      if (bytes[at] !== QUOTE) return 'a member has no name'
    } else if (bytes[at] !== CLOSE_BRACE) return 'a member has no end'
  }
  if (skipSpace(bytes, at + 1) !== bytes.length) return 'something follows the object'
  return Array.from({ length: wanted.size }, (_, index) => {
    const span = spans[index]
    return span && valueOf(bytes, ...span)
  })
}

/** Every header and the own body of an event that `pickJson` found right. */
export function decodeJson(bytes: Buffer): { headers: Record<string, string>; body: string } {
  const headers: Record<string, string> = Object.create(null)
  // Bytes that are not UTF-8 become U+FFFD here; they cannot hide a quote, which is never part of a sequence.
  const members: unknown = JSON.parse(bytes.toString('utf8'))
  let body = ''
  for (const [name, value] of Object.entries(members ?? {})) {
    if (name === OWN_BODY) body = textOf(value)
    else headers[name.toWellFormed()] = textOf(value)
  }
  return { headers, body }
}

function valueOf(bytes: Buffer, start: number, end: number): string {
  if (bytes[start] === QUOTE && bytes.subarray(start, end).indexOf(BACKSLASH) < 0) {
    return bytes.toString('utf8', start + 1, end - 1)
  }
  return textOf(JSON.parse(bytes.toString('utf8', start, end)))
}

/** A value as the plain format shows it: a list as `ARRAY::a|:b`, a list of one as its only value. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed()
  if (!Array.isArray(value)) return JSON.stringify(value)
  const items = value.map(textOf)
  return items.length > 1 ? `ARRAY::${items.join('|:')}` : (items[0] ?? '')
}

/** The offset of the quote that ends the text, or -1 when it has no end or is not as JSON demands. */
function endOfText(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) return at
    if (byte < 32) return -1
    if (byte === BACKSLASH) {
      const length = escapeLength(bytes, at + 1)
      if (length === 0) return -1
      at += length
    }
  }
  return -1
}

/** How many bytes follow the backslash of an escape, 0 when it is none. */
function escapeLength(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? 0
  if (byte === LOWER_U) return /^[0-9a-f]{4}$/i.test(bytes.toString('latin1', at + 1, at + 5)) ? 5 : 0
  return ESCAPES.has(byte) ? 1 : 0
}

/** The offset behind a value, or -1 when there is none that JSON allows. */
function endOfValue(bytes: Buffer, start: number): number {
  if (bytes[start] === QUOTE) return endOfText(bytes, start + 1) + 1 || -1
  const end = endOfOther(bytes, start)
  return end > start && isJson(bytes.toString('utf8', start, end)) ? end : -1
}

/** The offset at which a number, word, array or object ends; what lies before it is still to be checked. */
function endOfOther(bytes: Buffer, start: number): number {
  let depth = 0
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = endOfText(bytes, at + 1)
      if (at < 0) return -1
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      depth += 1
      if (depth > MAX_DEPTH) return -1
    } else if (depth === 0 && (byte === COMMA || byte === CLOSE_BRACE)) {
      return at
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return -1
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  while (bytes[at] === 32 || bytes[at] === 10 || bytes[at] === 13 || bytes[at] === 9) at += 1
  return at
}
