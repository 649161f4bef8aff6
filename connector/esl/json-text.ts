const SPACE = 32
const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const LOWER_U = 117

/** Read after the last byte; no text contains it. */
const NOTHING = 0

/** By byte: 1 for those that may follow a backslash in a text, `u` apart. */
const ESCAPES = new Uint8Array(256)
for (const byte of Buffer.from('"\\/bfnrt')) ESCAPES[byte] = 1

/** An engine nests one array in the object. The bound keeps a made-up body from exhausting the stack. */
const MAX_DEPTH = 32

/**
 * Returns the offset of the quote that ends the text that begins at `from`, or -1 when it has no end or is not as JSON
 * demands. Bytes above 127 are taken as they are.
 */
export function endOfText(bytes: Buffer, from: number): number {
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

/** Returns the offset after the value that begins at `start`, or -1 if it is not valid JSON. */
export function endOfValue(bytes: Buffer, start: number): number {
  if (bytes[start] === QUOTE) return endOfText(bytes, start + 1) + 1 || -1
  const end = endOfOther(bytes, start)
  return end > start && isJson(bytes.toString('utf8', start, end)) ? end : -1
}

/** Returns the offset of the first byte that is no white space. */
export function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  let byte = bytes[at] ?? NOTHING
  while (byte === SPACE || byte === 10 || byte === 13 || byte === 9) {
    at += 1
    byte = bytes[at] ?? NOTHING
  }
  return at
}

/** Returns whether a byte after a backslash completes an escape. */
export function isEscape(byte: number | undefined): boolean {
  return ESCAPES[byte ?? NOTHING] === 1
}

/** Returns the value that lies at these offsets, which is right JSON, as the plain format shows it. */
export function valueAt(bytes: Buffer, start: number, end: number): string {
  if (bytes[start] === QUOTE) {
    const text = bytes.toString('utf8', start + 1, end - 1)
    if (!text.includes('\\')) return text
  }
  return textOf(JSON.parse(bytes.toString('utf8', start, end)))
}

/** Returns a value as the plain format shows it: a list as `ARRAY::a|:b`, a list of one as its only value. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed()
  if (!Array.isArray(value)) return JSON.stringify(value)
  const items = value.map(textOf)
  return items.length > 1 ? `ARRAY::${items.join('|:')}` : (items[0] ?? '')
}

/** How long an escape is with its backslash; when it is none, so long that the text has no end. */
function escapeLength(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? NOTHING
  if (isEscape(byte)) return 2
  const isUnicode = byte === LOWER_U && /^[0-9a-f]{4}$/i.test(bytes.toString('latin1', at + 1, at + 5))
  return isUnicode ? 6 : bytes.length
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
