import { EslFramingLost } from './errors.ts'
import type { EslLimits } from './limits.ts'

const LF = 10
const CR = 13
const NO_BYTES = Buffer.alloc(0)

/** Every frame that an engine sends, and whether it may come without a Content-Length. Anything else is no frame. */
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

/** One frame: header lines, a blank line, and as many bytes of body as they announce. */
export interface EslFrame {
  readonly contentType: string
  /** The lines as they came, the blank line included. May share memory with its neighbours. */
  readonly headerBlock: Buffer
  readonly body: Buffer
  /** A header of the frame by any case of its name, or `undefined`. Not percent-decoded. */
  header(name: string): string | undefined
}

/** Where a stream stopped in the middle of a frame. */
export interface UnfinishedFrame {
  readonly part: 'header' | 'body'
  /** Bytes of that part that came. */
  readonly bytes: number
  /** The last bytes that came of it, at most 256. */
  readonly tail: Buffer
}

/**
 * Cuts a byte stream into frames, however it arrives. Every byte is looked at once: a frame that lies in one chunk is
 * a view of it, one that spans chunks is copied once. Holds at most one unfinished frame.
 */
export class FrameReader {
  readonly #limits: Pick<EslLimits, 'maxHeaderBytes' | 'maxBodyBytes'>
  readonly #head: GrowingBytes
  /** Whether the line that the held part of a header block ends in has no byte but CR yet. */
  #lineIsBlank = false
  #headers: FrameHeaders | undefined
  #body = NO_BYTES
  #bodyBytes = 0
  #lost: EslFramingLost | undefined

  constructor(limits: Pick<EslLimits, 'maxHeaderBytes' | 'maxBodyBytes'>) {
    this.#limits = limits
    this.#head = new GrowingBytes(limits.maxHeaderBytes)
  }

  /**
   * Takes the next bytes and gives each frame that they complete to `onFrame`, in order, before it returns.
   * Throws EslFramingLost when they are no frames; everything given afterwards is refused in the same way.
   */
  push(chunk: Buffer, onFrame: (frame: EslFrame) => void): void {
    if (this.#lost) throw this.#lost
    let at = 0
    while (at < chunk.length) {
      at = this.#headers ? this.#takeBody(chunk, at, this.#headers, onFrame) : this.#takeHead(chunk, at, onFrame)
    }
  }

  /** What is held of a frame that is not complete, or `undefined` between two frames. */
  get unfinished(): UnfinishedFrame | undefined {
    if (this.#headers) return unfinished('body', this.#body.subarray(0, this.#bodyBytes))
    return this.#head.length > 0 ? unfinished('header', this.#head.bytes()) : undefined
  }

  #takeHead(chunk: Buffer, from: number, onFrame: (frame: EslFrame) => void): number {
    const start = this.#head.length === 0 ? this.#skipBlankLines(chunk, from) : from
    const end = this.#endOfHead(chunk, start)
    if (end < 0) {
      this.#keepHead(chunk.subarray(start))
      return chunk.length
    }
    const block = this.#wholeHead(chunk.subarray(start, end))
    const headers = this.#parse(block)
    if (headers.bodyBytes === 0) {
      onFrame(new Frame(headers, NO_BYTES))
      return end
    }
    return this.#startBody(chunk, end, headers, onFrame)
  }

  /** Blank lines between frames mean nothing; the engine ignores ours too. */
  #skipBlankLines(chunk: Buffer, from: number): number {
    let at = from
    while (at < chunk.length && (chunk[at] === LF || chunk[at] === CR)) at += 1
    return at
  }

  /** The offset behind the blank line that ends the header block, or -1; remembers where in a line it stopped. */
  #endOfHead(chunk: Buffer, from: number): number {
    let blank = this.#head.length > 0 && this.#lineIsBlank
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (byte === LF) {
        if (blank) return at + 1
        blank = true
      } else if (byte !== CR) {
        blank = false
      }
    }
    this.#lineIsBlank = blank
    return -1
  }

  #keepHead(part: Buffer): void {
    if (part.length > 0 && !this.#head.append(part)) this.#fail('a header block is longer than the limit')
  }

  #wholeHead(part: Buffer): Buffer {
    if (this.#head.length === 0) {
      if (part.length > this.#limits.maxHeaderBytes) this.#fail('a header block is longer than the limit')
      return part
    }
    this.#keepHead(part)
    return this.#head.take()
  }

  #parse(block: Buffer): FrameHeaders {
    const headers = parseFrameHeaders(block)
    if (typeof headers === 'string') return this.#fail(headers)
    if (headers.bodyBytes > this.#limits.maxBodyBytes) {
      this.#fail(`a body of ${headers.bodyBytes} bytes is longer than the limit`)
    }
    return headers
  }

  #startBody(chunk: Buffer, from: number, headers: FrameHeaders, onFrame: (frame: EslFrame) => void): number {
    const end = from + headers.bodyBytes
    if (end <= chunk.length) {
      onFrame(new Frame(headers, chunk.subarray(from, end)))
      return end
    }
    this.#headers = headers
    // Not filled and not touched before the bytes come, so an announced length alone takes no memory.
    this.#body = Buffer.allocUnsafeSlow(headers.bodyBytes)
    this.#bodyBytes = 0
    return from
  }

  #takeBody(chunk: Buffer, from: number, headers: FrameHeaders, onFrame: (frame: EslFrame) => void): number {
    const copied = chunk.copy(this.#body, this.#bodyBytes, from)
    this.#bodyBytes += copied
    if (this.#bodyBytes === headers.bodyBytes) {
      const frame = new Frame(headers, this.#body)
      this.#headers = undefined
      this.#body = NO_BYTES
      onFrame(frame)
    }
    return from + copied
  }

  #fail(problem: string): never {
    this.#lost = new EslFramingLost(problem)
    throw this.#lost
  }
}

class Frame implements EslFrame {
  readonly #headers: FrameHeaders
  readonly body: Buffer

  constructor(headers: FrameHeaders, body: Buffer) {
    this.#headers = headers
    this.body = body
  }

  get contentType(): string {
    return this.#headers.contentType
  }

  get headerBlock(): Buffer {
    return this.#headers.block
  }

  header(name: string): string | undefined {
    return this.#headers.values.get(name.toLowerCase())
  }
}

interface FrameHeaders {
  readonly block: Buffer
  readonly values: ReadonlyMap<string, string>
  readonly contentType: string
  readonly bodyBytes: number
}

/** The headers of a frame, or what is wrong with them. */
function parseFrameHeaders(block: Buffer): FrameHeaders | string {
  const values = new Map<string, string>()
  let last = ''
  for (const line of block.toString('utf8').split('\n')) {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (text === '') continue
    const colon = text.indexOf(':')
    if (colon <= 0) {
      // A reply is free text of the engine and may go on over line ends; nothing else may.
      if (last !== 'reply-text') return 'a header line has no colon'
      values.set(last, `${values.get(last)}\n${text}`)
      continue
    }
    last = text.slice(0, colon).toLowerCase()
    const value = text.slice(colon + 1).trim()
    if (last === 'content-length' && values.has(last) && values.get(last) !== value) return 'two lengths for one body'
    values.set(last, value)
  }
  const contentType = values.get('content-type') ?? ''
  const kind = FRAME_KINDS.get(contentType)
  if (!kind) return 'a header block has no Content-Type of an engine'
  const length = values.get('content-length')
  const bodyBytes = length === undefined && kind === 'may lack a length' ? 0 : parseLength(length)
  return typeof bodyBytes === 'string' ? bodyBytes : { block, values, contentType, bodyBytes }
}

function parseLength(text: string | undefined): number | string {
  if (text === undefined) return 'a frame that has a body has no Content-Length'
  return /^\d{1,15}$/.test(text) ? Number(text) : 'a Content-Length is no number'
}

function unfinished(part: UnfinishedFrame['part'], held: Buffer): UnfinishedFrame {
  return { part, bytes: held.length, tail: held.subarray(Math.max(0, held.length - 256)) }
}

/** Collects the pieces of a header block; each byte is copied a fixed number of times on average. */
class GrowingBytes {
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

  bytes(): Buffer {
    return this.#held.subarray(0, this.#length)
  }

  /** Hands over what was collected and starts anew. */
  take(): Buffer {
    const bytes = this.bytes()
    this.#held = NO_BYTES
    this.#length = 0
    return bytes
  }
}
