import { EslFramingLost } from './errors.ts'
import { type FrameHead, GrowingBytes, eventHeadAt, parseFrameHead } from './frame-head.ts'
import type { EslLimits } from './options.ts'

const LF = 10
const CR = 13
const NO_BYTES = Buffer.alloc(0)
const NO_HEADERS: ReadonlyMap<string, string> = new Map()

/** One frame: header lines, a blank line, and as many bytes of body as they announce. */
export interface EslFrame {
  /** The content type of the frame; empty if it names none. */
  readonly contentType: string
  /** Why the frame must be skipped, which no text of the frame is part of; `undefined` for one that is understood. */
  readonly problem: string | undefined
  /** Whether one that must be skipped may be none, so that nobody knows where the next one begins. */
  readonly isDoubtful: boolean
  /** Bytes of the header lines, the blank line included. */
  readonly headerBytes: number
  /** Often a view of the read buffer, which is reused: copy it to keep it. */
  readonly body: Buffer
  /**
   * A header of the frame by any case of its name, or `undefined`. Not percent-decoded. An event has its type and its
   * length only, which are not reported again.
   */
  header(name: string): string | undefined
}

/** Where a stream stopped in the middle of a frame. */
export interface UnfinishedFrame {
  readonly part: 'header' | 'body'
  readonly bytes: number
}

/**
 * Cuts a byte stream into frames, however it arrives. Every byte is examined once: a frame inside one chunk is a view
 * of it, and one that spans chunks is copied once. Holds at most one unfinished frame, and no chunk.
 */
export class FrameReader {
  readonly #limits: Pick<EslLimits, 'maxHeaderBytes' | 'maxBodyBytes'>
  readonly #head: GrowingBytes
  /** Whether the line that the held part of a header block ends in has no byte but CR yet. */
  #lineIsBlank = false
  #begun: Frame | undefined
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
      at = this.#begun ? this.#takeBody(chunk, at, this.#begun, onFrame) : this.#takeHead(chunk, at, onFrame)
    }
  }

  /** The bytes of an incomplete frame, or `undefined` between two frames. */
  get unfinished(): UnfinishedFrame | undefined {
    if (this.#begun) return { part: 'body', bytes: this.#bodyBytes }
    return this.#head.length > 0 ? { part: 'header', bytes: this.#head.length } : undefined
  }

  /** Answers, as all that take, the offset at which reading goes on. */
  #takeHead(chunk: Buffer, from: number, onFrame: (frame: EslFrame) => void): number {
    if (this.#head.length > 0) return this.#takeAnyHead(chunk, from, onFrame)
    const event = eventHeadAt(chunk, from)
    if (event === undefined) return this.#takeAnyHead(chunk, this.#skipBlankLines(chunk, from), onFrame)
    const frame = new Frame(event.contentType, undefined, NO_HEADERS, event.end - from)
    return this.#startBody(chunk, event.end, frame, event.bodyBytes, onFrame)
  }

  #takeAnyHead(chunk: Buffer, from: number, onFrame: (frame: EslFrame) => void): number {
    const end = this.#endOfHead(chunk, from)
    if (end < 0) {
      this.#keepHead(chunk.subarray(from))
      return chunk.length
    }
    const block = this.#wholeHead(chunk.subarray(from, end))
    const { contentType, problem, isDoubtful, values, bodyBytes } = this.#parse(block)
    const frame = new Frame(contentType, problem, values, block.length, isDoubtful)
    return this.#startBody(chunk, end, frame, bodyBytes, onFrame)
  }

  /** Blank lines between frames mean nothing; the engine ignores ours too. */
  #skipBlankLines(chunk: Buffer, from: number): number {
    let at = from
    while (at < chunk.length && (chunk[at] === LF || chunk[at] === CR)) at += 1
    return at
  }

  /** The offset after the blank line that ends the header block, or -1; remembers where in a line it stopped. */
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

  #parse(block: Buffer): FrameHead {
    const head = parseFrameHead(block)
    return typeof head === 'string' ? this.#fail(head) : head
  }

  #startBody(chunk: Buffer, from: number, frame: Frame, bodyBytes: number, onFrame: (frame: EslFrame) => void): number {
    if (bodyBytes > this.#limits.maxBodyBytes) this.#fail(`a body of ${bodyBytes} bytes is longer than the limit`)
    const end = from + bodyBytes
    if (end <= chunk.length) {
      if (bodyBytes > 0) frame.body = chunk.subarray(from, end)
      onFrame(frame)
      return end
    }
    // Not filled and not touched before the bytes come, so an announced length alone takes no memory.
    frame.body = Buffer.allocUnsafeSlow(bodyBytes)
    this.#begun = frame
    this.#bodyBytes = 0
    return from
  }

  #takeBody(chunk: Buffer, from: number, frame: Frame, onFrame: (frame: EslFrame) => void): number {
    const copied = chunk.copy(frame.body, this.#bodyBytes, from)
    this.#bodyBytes += copied
    if (this.#bodyBytes === frame.body.length) {
      this.#begun = undefined
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
  readonly contentType: string
  readonly problem: string | undefined
  readonly isDoubtful: boolean
  readonly headerBytes: number
  body: Buffer = NO_BYTES
  readonly #values: ReadonlyMap<string, string>

  constructor(
    contentType: string,
    problem: string | undefined,
    values: ReadonlyMap<string, string>,
    headerBytes: number,
    isDoubtful = false,
  ) {
    this.contentType = contentType
    this.problem = problem
    this.isDoubtful = isDoubtful
    this.headerBytes = headerBytes
    this.#values = values
  }

  header(name: string): string | undefined {
    return this.#values.get(name.toLowerCase())
  }
}
