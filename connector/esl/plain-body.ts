import { WantedHeaders } from './wanted-headers.ts'

const LF = 10
const CR = 13
const COLON = 58
const SPACE = 32
const PERCENT = 37

const CONTENT_LENGTH = new WantedHeaders(['Content-Length'])

/**
 * The values of the wanted headers, `undefined` where absent, from one pass that decodes nothing else; or what is
 * wrong with the body. It has to be header lines, a blank line, and then nothing or exactly as many bytes as the
 * last `Content-Length` among the headers says.
 */
export function pickPlain(bytes: Buffer, wanted: WantedHeaders): (string | undefined)[] | string {
  const spans: [number, number][] = []
  let ownLength = ''
  let at = 0
  for (; !isBlankLine(bytes, at); at = bytes.indexOf(LF, at) + 1) {
    const end = bytes.indexOf(LF, at)
    if (end < 0) return 'its headers have no end'
    const colon = bytes.indexOf(COLON, at)
    if (colon <= at || colon > end) return 'a line has no name'
    const index = wanted.indexAt(bytes, at, colon)
    if (index >= 0) spans[index] = [colon, end]
    if (CONTENT_LENGTH.indexAt(bytes, at, colon) === 0) ownLength = valueOf(bytes, colon, end)
  }
  if (at === 0) return 'it has no headers'
  const left = bytes.length - afterBlankLine(bytes, at)
  if (left > 0 && Number(ownLength) !== left) return 'its own Content-Length is not the length of its own body'
  return Array.from({ length: wanted.size }, (_, index) => {
    const span = spans[index]
    return span && valueOf(bytes, ...span)
  })
}

/** Every header and the own body of an event that `pickPlain` found right. The own body is not percent-encoded. */
export function decodePlain(bytes: Buffer): { headers: Record<string, string>; body: string } {
  const headers: Record<string, string> = Object.create(null)
  let at = 0
  while (!isBlankLine(bytes, at)) {
    const colon = bytes.indexOf(COLON, at)
    const end = bytes.indexOf(LF, at)
    headers[bytes.toString('utf8', at, colon)] = valueOf(bytes, colon, end)
    at = end + 1
  }
  return { headers, body: bytes.toString('utf8', afterBlankLine(bytes, at)) }
}

/**
 * Decodes `%XX` to its byte and the bytes to text, once. A `%` that two hexadecimal digits do not follow stands for
 * itself, `+` is no space, and what is not UTF-8 reads as U+FFFD.
 */
export function percentDecode(bytes: Buffer): string {
  const first = bytes.indexOf(PERCENT)
  if (first < 0) return bytes.toString('utf8')
  const decoded = Buffer.allocUnsafe(bytes.length)
  let length = bytes.copy(decoded, 0, 0, first)
  for (let at = first; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    const escaped = byte === PERCENT ? hexPair(bytes[at + 1], bytes[at + 2]) : -1
    decoded[length] = escaped < 0 ? byte : escaped
    length += 1
    if (escaped >= 0) at += 2
  }
  return decoded.toString('utf8', 0, length)
}

function valueOf(bytes: Buffer, colon: number, lineEnd: number): string {
  const start = bytes[colon + 1] === SPACE ? colon + 2 : colon + 1
  return percentDecode(bytes.subarray(start, bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd))
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

function hexDigit(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
