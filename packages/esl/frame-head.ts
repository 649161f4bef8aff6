const LF = 10
const ZERO = 48
const NINE = 57

/** Every frame that an engine is known to send, and whether it may come without a Content-Length. */
const FRAME_KINDS: ReadonlyMap<string, 'may lack a length' | 'has a length'> = new Map([
  ['auth/request', 'may lack a length'],
  ['command/reply', 'may lack a length'],
  ['api/response', 'has a length'],
  ['text/event-json', 'has a length'],
  ['text/event-plain', 'has a length'],
  ['text/event-xml', 'has a length'],
  ['log/data', 'has a length'],
  ['text/disconnect-notice', 'has a length'],
  ['text/rude-rejection', 'has a length'],
])

/** Headers without which a block may pass for a frame of an unknown kind: those of a frame or an event that was cut. */
const TELLING_NAMES: readonly string[] = ['content-length', 'reply-text', 'job-uuid', 'event-name', 'core-uuid']

/** The facts of a frame from its header block. */
export interface FrameHead {
  /** Empty when the block has none. */
  readonly contentType: string
  readonly bodyBytes: number
  /** Why the frame is to be skipped, whole as it is; `undefined` for one that is understood. */
  readonly problem: string | undefined
  /** Whether a frame that is skipped may be none, so that nobody knows where the next one begins. */
  readonly isDoubtful: boolean
  /** The headers by their names in lower case. */
  readonly values: ReadonlyMap<string, string>
}

const LENGTH = Buffer.from('Content-Length: ')
const EVENT_TYPE = 'text/event-json'
const REST_OF_EVENT = Buffer.from(`\nContent-Type: ${EVENT_TYPE}\n\n`)

/** The header block of an event in JSON. */
export interface EventHead {
  readonly contentType: string
  readonly bodyBytes: number
  readonly end: number
}

/**
 * Returns the header block at an offset where it is, byte for byte, as every engine writes that of an event;
 * `undefined` for any other and for one that is not whole.
 */
export function eventHeadAt(bytes: Buffer, start: number): EventHead | undefined {
  if (!isAt(LENGTH, bytes, start)) return undefined
  let at = start + LENGTH.length
  let bodyBytes = 0
  let digit = bytes[at] ?? LF
  while (digit >= ZERO && digit <= NINE) {
    bodyBytes = bodyBytes * 10 + digit - ZERO
    at += 1
    digit = bytes[at] ?? LF
  }
  const digits = at - start - LENGTH.length
  if (digits === 0 || digits > 15) return undefined
  if (!isAt(REST_OF_EVENT, bytes, at)) return undefined
  return { contentType: EVENT_TYPE, bodyBytes, end: at + REST_OF_EVENT.length }
}

/** Reads a whole header block; returns its facts, or why the stream cannot be trusted any more. */
export function parseFrameHead(block: Buffer): FrameHead | string {
  const values = parseHeaders(block)
  if (typeof values === 'string') return values
  const contentType = values.get('content-type') ?? ''
  const length = values.get('content-length')
  const skipped = (problem: string, bodyBytes = 0, isDoubtful = true) => ({
    contentType,
    bodyBytes,
    problem,
    isDoubtful,
    values,
  })
  if (contentType === '') {
    const isCut = TELLING_NAMES.some((name) => values.has(name))
    return isCut ? 'a header block has no Content-Type' : skipped('it has no Content-Type')
  }
  // No engine writes a length that is no number: a body after it is recognized as no header block.
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return skipped('its Content-Length is no number')
  const kind = FRAME_KINDS.get(contentType)
  if (kind === undefined) {
    if (!/^[a-z]+\/[\w.+-]+$/i.test(contentType)) return 'a Content-Type is none'
    // One that says how long it is ends where it says, whatever it is: an engine may learn a new kind and send many.
    return skipped('its kind is not known', Number(length ?? 0), length === undefined)
  }
  if (length === undefined && kind === 'has a length') return 'a frame that has a body has no Content-Length'
  return { contentType, bodyBytes: Number(length ?? 0), problem: undefined, isDoubtful: false, values }
}

function parseHeaders(block: Buffer): ReadonlyMap<string, string> | string {
  const values = new Map<string, string>()
  let last = ''
  for (const line of block.toString('utf8').split('\n')) {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (text === '') continue
    const colon = text.indexOf(':')
    const name = text.slice(0, Math.max(0, colon)).toLowerCase()
    if (/^[!#-'*+.\w^`|~-]+$/.test(name)) {
      last = name
    } else if (last === 'reply-text') {
      // A reply is free text of the engine and may go on over line ends; nothing else may.
      values.set(last, `${values.get(last)}\n${text}`)
      continue
    } else return 'a header line has no name'
    const value = text.slice(colon + 1).trim()
    if (last === 'content-length' && values.has(last) && values.get(last) !== value) return 'two lengths for one body'
    values.set(last, value)
  }
  return values
}

function isAt(expected: Buffer, bytes: Buffer, start: number): boolean {
  for (let offset = 0; offset < expected.length; offset += 1) {
    if (bytes[start + offset] !== expected[offset]) return false
  }
  return true
}

const NO_BYTES = Buffer.alloc(0)

/** Collects the pieces of a block up to a limit; each byte is copied a fixed number of times on average. */
export class GrowingBytes {
  readonly #limit: number
  #held = NO_BYTES
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.#length
  }

  /** Adds a piece; `false` when the limit is passed. */
  append(piece: Buffer): boolean {
    const length = this.#length + piece.length
    if (length > this.#limit) return false
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#held.length, 256))
      this.#held.copy(larger, 0, 0, this.#length)
      this.#held = larger
    }
    piece.copy(this.#held, this.#length)
    this.#length = length
    return true
  }

  /** The bytes collected so far; valid until the next piece. */
  bytes(): Buffer {
    return this.#held.subarray(0, this.#length)
  }

  take(): Buffer {
    const bytes = this.bytes()
    this.#held = NO_BYTES
    this.#length = 0
    return bytes
  }
}
