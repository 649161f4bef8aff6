import { type Span, WantedHeaders } from './wanted-headers.ts'

const SPACE = 32
const QUOTE = 34
const COMMA = 44
const COLON = 58
const BACKSLASH = 92
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const LOWER_U = 117

/** Read behind the last byte; no text holds it. */
const NOTHING = 0

/** By byte: 1 for those that may follow a backslash in a text, `u` apart. */
const ESCAPES = new Uint8Array(256)
for (const byte of Buffer.from('"\\/bfnrt')) ESCAPES[byte] = 1

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
  const spans: Span[] = []
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
  return wanted.values(spans, ([start, end]) => valueOf(bytes, start, end))
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
  const json = bytes.toString('utf8', start, end)
  return bytes[start] === QUOTE && !json.includes('\\') ? json.slice(1, -1) : textOf(JSON.parse(json))
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
  let at = from
  for (;;) {
    let byte = bytes[at] ?? NOTHING
    while (byte > QUOTE && byte !== BACKSLASH) {
      at += 1
      byte = bytes[at] ?? NOTHING
    }
    if (byte === QUOTE) return at
    if (byte < SPACE) return -1
    at += byte === BACKSLASH ? escapeLength(bytes, at + 1) : 1
  }
}

/** How long an escape is with its backslash; when it is none, so long that the text has no end. */
function escapeLength(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? NOTHING
  if (ESCAPES[byte] === 1) return 2
  const isUnicode = byte === LOWER_U && /^[0-9a-f]{4}$/i.test(bytes.toString('latin1', at + 1, at + 5))
  return isUnicode ? 6 : bytes.length
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
  let byte = bytes[at] ?? NOTHING
  while (byte === SPACE || byte === 10 || byte === 13 || byte === 9) {
    at += 1
    byte = bytes[at] ?? NOTHING
  }
  return at
}
