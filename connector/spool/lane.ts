import type { DropClass } from './drop-class.ts'
import type { PatientReader } from './patient-reader.ts'
import { type ReadLine, type Segment, newSegment } from './segment.ts'
import type { SpooledEvent } from './spool-line.ts'

/** The next event of a lane, and the line that it was read from. */
export interface LaneHead {
  readonly line: ReadLine
  readonly spooled: SpooledEvent
}

/** What a lane is made from. */
export interface LaneParts {
  readonly dropClass: DropClass
  /** A file is ended when it would become longer. */
  readonly segmentBytes: number
  readonly read: PatientReader
  /** Told how many events of a file turned out to be damaged. */
  readonly onDamaged: (segment: Segment, events: number) => void
  /** Told of a file of which a line was read; what happens then is waited for. */
  readonly onRead: (segment: Segment) => Promise<void>
}

/** The files of one class in one journal, oldest first. */
export class Lane {
  readonly #parts: LaneParts
  #segments: readonly Segment[] = []
  /** Lines that were read ahead of their turn. */
  #ahead: readonly ReadLine[] = []
  /** The number of the last event that was read; a line that comes again after a failed write is passed over. */
  #lastNumber = 0

  constructor(parts: LaneParts) {
    this.#parts = parts
  }

  get dropClass(): DropClass {
    return this.#parts.dropClass
  }

  get segments(): readonly Segment[] {
    return this.#segments
  }

  add(segment: Segment): void {
    this.#segments = [...this.#segments, segment]
  }

  /** The file to write so many bytes to, which is busy then: the last one, or a new one where that has no room. */
  segmentFor(bytes: number, newPath: () => string): Segment {
    const last = this.#segments.at(-1)
    const fits = last !== undefined && !last.isSealed && last.size + bytes <= this.#parts.segmentBytes
    if (!fits && last !== undefined) last.isSealed = true
    const segment = fits ? last : newSegment(newPath(), this.dropClass)
    if (!fits) this.add(segment)
    segment.isBusy = true
    return segment
  }

  forget(segment: Segment): void {
    this.#segments = this.#segments.filter((one) => one !== segment)
    this.forgetUnread(segment)
  }

  /** Forgets what was read ahead of a file. */
  forgetUnread(segment: Segment): void {
    this.#ahead = this.#ahead.filter((line) => line.segment !== segment)
  }

  /** The next event; `undefined` when none is left. Erased and damaged lines are passed over. */
  async head(): Promise<LaneHead | undefined> {
    for (;;) {
      const [line] = this.#ahead
      if (line === undefined) {
        if (!(await this.#readAhead())) return undefined
      } else if (line.spooled !== undefined && line.spooled.number > this.#lastNumber) {
        return { line, spooled: line.spooled }
      } else {
        if (line.spooled === undefined && !line.isErased) this.#parts.onDamaged(line.segment, 1)
        await this.#consume(line)
      }
    }
  }

  /** Takes a head out. `false` when it is not the head any more: its file was given up meanwhile. */
  async take({ line, spooled }: LaneHead): Promise<boolean> {
    if (this.#ahead[0] !== line) return false
    this.#lastNumber = spooled.number
    line.segment.live += 1
    await this.#consume(line)
    return true
  }

  async #consume(line: ReadLine): Promise<void> {
    this.#ahead = this.#ahead.slice(1)
    line.segment.readOffset = line.nextOffset
    line.segment.unread -= 1
    await this.#parts.onRead(line.segment)
  }

  /** Reads more lines; `false` when there are none, or reading was ended. */
  async #readAhead(): Promise<boolean> {
    const segment = this.#segments.find(({ unread }) => unread > 0)
    if (segment === undefined) return false
    const lines = await this.#parts.read(segment)
    if (lines === undefined) return false
    if (segment.unread === 0) return true
    this.#ahead = lines.slice(0, segment.unread)
    if (lines.length > 0) return true
    // The disk does not give back what it took.
    this.#parts.onDamaged(segment, segment.unread)
    segment.unread = 0
    await this.#parts.onRead(segment)
    return true
  }
}
