import { type Span, WantedHeaders } from './wanted-headers.ts'

const LF = 10
const CR = 13
const SPACE = 32
const PERCENT = 37
const COLON = 58

/** Read behind the last byte. */
const NOTHING = -1

const CONTENT_LENGTH = new WantedHeaders(['Content-Length'])

/**
 * The values of the wanted headers, `undefined` where absent, from one pass that decodes nothing else; or what is
 * wrong with the body. It has to be header lines, a blank line, and then nothing or exactly as many bytes as the
 * last `Content-Length` among the headers says.
 */
export function pickPlain(bytes: Buffer, wanted: WantedHeaders): (string | undefined)[] | string {
  const spans: Span[] = []
  let ownLength = ''
  let at = 0
  while (!isBlankLine(bytes, at)) {
    const colon = endOfName(bytes, at)
    if (colon < 0) return 'a line has no name'
    const end = endOfLine(bytes, colon)
    if (end < 0) return 'its headers have no end'
    const index = wanted.indexAt(bytes, at, colon)
    if (index >= 0) spans[index] = [colon, end]
    if (CONTENT_LENGTH.indexAt(bytes, at, colon) === 0) ownLength = valueOf(bytes, colon, end)
    at = end + 1
  }
  if (at === 0) return 'it has no headers'
  const left = bytes.length - afterBlankLine(bytes, at)
  if (left > 0 && Number(ownLength) !== left) return 'its own Content-Length is not the length of its own body'
  return wanted.values(spans, ([colon, end]) => valueOf(bytes, colon, end))
}

/** Every header and the own body of an event that `pickPlain` found right. The own body is not percent-encoded. */
export function decodePlain(bytes: Buffer): { headers: Record<string, string>; body: string } {
  const headers: Record<string, string> = Object.create(null)
  let at = 0
  while (!isBlankLine(bytes, at)) {
    const colon = endOfName(bytes, at)
    const end = endOfLine(bytes, colon)
    headers[bytes.toString('utf8', at, colon)] = valueOf(bytes, colon, end)
    at = end + 1
  }
  return { headers, body: bytes.toString('utf8', afterBlankLine(bytes, at)) }
}

/**
 * Decodes `%XX` to its byte and the bytes to text, once. A `%` that two hexadecimal digits do not follow stands for
 * itself, `+` is no space, and what is not UTF-8 reads as U+FFFD.
 */
export function percentDecode(bytes: Buffer, start = 0, end = bytes.length): string {
  const text = bytes.toString('utf8', start, end)
  if (!text.includes('%')) return text
  try {
    // Agrees with what follows wherever it does not throw, and is faster.
    return decodeURIComponent(text)
  } catch {
    return decodeAnyBytes(bytes.subarray(start, end))
  }
}

function decodeAnyBytes(bytes: Buffer): string {
  const decoded = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? NOTHING
    const escaped = byte === PERCENT ? hexPair(bytes[at + 1], bytes[at + 2]) : -1
    decoded[length] = escaped < 0 ? byte : escaped
    length += 1
    if (escaped >= 0) at += 2
  }
  return decoded.toString('utf8', 0, length)
}

function valueOf(bytes: Buffer, colon: number, lineEnd: number): string {
  const start = bytes[colon + 1] === SPACE ? colon + 2 : colon + 1
  return percentDecode(bytes, start, bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd)
}

/** The offset of the first colon of a line, or -1 when there is none or nothing before it. */
function endOfName(bytes: Buffer, from: number): number {
  let at = from
  let byte = bytes[at] ?? NOTHING
  while (byte !== COLON && byte !== LF && byte !== NOTHING) {
    at += 1
    byte = bytes[at] ?? NOTHING
  }
  return byte === COLON && at > from ? at : -1
}

/** The offset of the LF that ends a line, or -1. */
function endOfLine(bytes: Buffer, from: number): number {
  let at = from
  let byte = bytes[at] ?? NOTHING
  while (byte !== LF && byte !== NOTHING) {
    at += 1
    byte = bytes[at] ?? NOTHING
  }
  return byte === LF ? at : -1
}

function isBlankLine(bytes: Buffer, at: number): boolean {
  return bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] === LF)
}

function afterBlankLine(bytes: Buffer, at: number): number {
  return at + (bytes[at] === CR ? 2 : 1)
}

function hexPair(high: number | undefined, low: number | undefined): number {
  const upper = hexDigit(high)
  const lower = hexDigit(low)
  return upper < 0 || lower < 0 ? -1 : upper * 16 + lower
}

function hexDigit(byte = NOTHING): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
