import { type DecodedEvent, type EslEvent, type HeaderValues, LazyEvent, REPEATING_HEADERS } from './lazy-event.ts'
import { isAsciiWithout, ownText } from './own-text.ts'
import { WantedHeaders } from './wanted-headers.ts'

const LF = 10
const CR = 13
const SPACE = 32
const PERCENT = 37
const COLON = 58

/** The text that an engine writes into the middle of an event before it drops a listener, where it ends that event's bytes. */
const OVERFLOW_END =
  'Content-Type: text/disconnect-notice\nContent-Length: 39\n\nkilled listener because of lost events\n'

/** Returns a reader of `text/event-plain` bodies that finds these headers in the same pass. */
export function plainEventReader(names: readonly string[]): (bytes: Buffer) => EslEvent | string {
  // No line begins with a name that is empty or holds a colon or a line end, nor with a line end.
  const wanted = new WantedHeaders(names, (name) => (isName(name) ? name : '\n'))
  return (bytes) => readPlainEvent(bytes, wanted)
}

/**
 * Reads a `text/event-plain` body in one pass over its lines, which decodes nothing but the wanted headers. It has to
 * be header lines, a blank line, and then nothing or exactly as many bytes as the last `Content-Length` among the
 * headers says. A line without a name is no header.
 */
function readPlainEvent(bytes: Buffer, wanted: WantedHeaders): EslEvent | string {
  // One character for each byte, so that offsets are the same in both.
  const text = bytes.toString('latin1')
  const { firsts } = wanted
  const found: number[] = []
  let at = 0
  for (;;) {
    const end = text.indexOf('\n', at)
    if (end < 0) return 'its headers have no end'
    if (end === at || (end === at + 1 && bytes[at] === CR)) break
    if (firsts[bytes[at] ?? LF] === 1) {
      const index = wanted.indexBeforeColon(bytes, at)
      if (index >= 0) found.push(index, at, end)
    }
    at = end + 1
  }
  const values = valuesOf(found, bytes, text)
  const event = new PlainEvent(wanted.indexes, values, text, at, bytes[at] === CR ? at + 2 : at + 1)
  return event.problem(found.length > 0) ?? event
}

/** The values of headers that were found, from triples of a header's index and the offsets of its line. */
function valuesOf(found: readonly number[], bytes: Buffer, text: string): HeaderValues {
  const values: HeaderValues = []
  for (let at = 0; at < found.length; at += 3) {
    const index = found[at] ?? 0
    const colon = text.indexOf(':', found[at + 1])
    const end = found[at + 2] ?? 0
    values[index] =
      bytes[colon + 1] === SPACE && bytes[end - 1] !== CR && isAsciiWithout(PERCENT, bytes, colon + 2, end)
        ? ownText(bytes, text, colon + 2, end, REPEATING_HEADERS[index] === true)
        : valueOf(bytes, colon, end)
  }
  return values
}

class PlainEvent extends LazyEvent {
  /** Where the blank line begins, and what follows it. */
  readonly #end: number
  readonly #ownStart: number

  constructor(read: ReadonlyMap<string, number>, values: HeaderValues, text: string, end: number, ownStart: number) {
    super(read, values, text)
    this.#end = end
    this.#ownStart = ownStart
  }

  /** The fault of the event, if any. */
  problem(isNamed: boolean): string | undefined {
    const left = this.text.length - this.#ownStart
    if (left > 0 && Number(this.find('Content-Length')) !== left) {
      return 'its own Content-Length is not the length of its own body'
    }
    if (left > 0 && this.text.endsWith(OVERFLOW_END)) return 'its end was overwritten'
    return isNamed || Object.keys(this.decode().headers).length > 0 ? undefined : 'it has no headers'
  }

  protected find(name: string): string | undefined {
    if (!isName(name)) return undefined
    // The replacement for a byte that is not UTF-8; its original is only in the headers themselves.
    if (name.includes('\uFFFD')) return this.headers()[name]
    const text = this.text
    const wire = `${bytesOf(name)}:`
    let found = -1
    for (let at = text.indexOf(wire); at >= 0 && at < this.#end; at = text.indexOf(wire, at + 1)) {
      // A value holds no line end, so that only a header begins a line.
      if (at === 0 || text.charCodeAt(at - 1) === LF) found = at + wire.length - 1
    }
    if (found < 0) return undefined
    const line = Buffer.from(text.slice(found, text.indexOf('\n', found)), 'latin1')
    return valueOf(line, 0, line.length)
  }

  /** The own body is not percent-encoded. */
  protected decode(): DecodedEvent {
    const bytes = Buffer.from(this.text, 'latin1')
    const headers: Record<string, string> = Object.create(null)
    // Searched again only after it was passed: lines without a colon do not each look through all that follow.
    let colon = this.text.indexOf(':')
    for (let at = 0; at < this.#end; ) {
      const end = this.text.indexOf('\n', at)
      if (colon >= 0 && colon < at) colon = this.text.indexOf(':', at)
      if (colon > at && colon < end) headers[bytes.toString('utf8', at, colon)] = valueOf(bytes, colon, end)
      at = end + 1
    }
    return { headers, body: bytes.toString('utf8', this.#ownStart) }
  }
}

function isName(name: string): boolean {
  return name !== '' && !/[:\n]/.test(name)
}

/** A name as the text of an event has it: one character for each byte. */
function bytesOf(name: string): string {
  return /^[\w-]+$/.test(name) ? name : Buffer.from(name).toString('latin1')
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
    const byte = bytes[at] ?? 0
    const escaped = byte === PERCENT ? hexPair(bytes[at + 1], bytes[at + 2]) : -1
    decoded[length] = escaped < 0 ? byte : escaped
    length += 1
    if (escaped >= 0) at += 2
  }
  return decoded.toString('utf8', 0, length)
}

/** The value between the colon of a line and its end. */
function valueOf(bytes: Buffer, colon: number, lineEnd: number): string {
  const start = bytes[colon + 1] === SPACE ? colon + 2 : colon + 1
  return percentDecode(bytes, start, bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd)
}

function hexPair(high: number | undefined, low: number | undefined): number {
  const upper = hexDigit(high)
  const lower = hexDigit(low)
  return upper < 0 || lower < 0 ? -1 : upper * 16 + lower
}

function hexDigit(byte = COLON): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
