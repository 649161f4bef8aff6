import type { DropClass } from './drop-class.ts'
import { type Segment, newSegment } from './segment.ts'
import { type SpoolFiles, codeOf } from './spool-files.ts'

/** Where the copy of an event that is in memory stands. */
export interface Copy {
  readonly segment: Segment
  readonly dropClass: DropClass
  /** Where its line begins. */
  readonly start: number
  /** How often the beginning of the file had been cut off when the line was found there. */
  readonly cuts: number
}

/** An event as it is to be written. */
export interface NewLine {
  readonly dropClass: DropClass
  readonly takenAt: number
  /** By `spoolLine`. */
  readonly line: Buffer
}

/** The dependencies of {@link SegmentFiles}. */
export interface SegmentFilesDeps {
  readonly files: SpoolFiles
  readonly folder: string
  /** A file is ended when it would become longer. */
  readonly segmentBytes: number
  /** Called when a file could not be removed or changed. */
  readonly onFailure: () => void
}

/** The files of a spool, in their order: lines are appended to the last one, and a file that is not needed is removed. */
export class SegmentFiles {
  readonly #deps: SegmentFilesDeps
  #segments: readonly Segment[] = []
  /** Files that are not needed and that the disk still has. They count until it removes them. */
  readonly #unremoved = new Set<Segment>()
  #generation = 0
  #filesMade = 0
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(deps: SegmentFilesDeps) {
    this.#deps = deps
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0 && this.#unremoved.size === 0
  }

  /** Events that stand only here. */
  get unread(): number {
    return this.#segments.reduce((sum, { unread }) => sum + unread, 0)
  }

  /** Bytes of all files. */
  get bytes(): number {
    return [...this.#segments, ...this.#unremoved].reduce((sum, { size }) => sum + size, 0)
  }

  /** When the first event that stands only here was read from the engine, or earlier; absent when there is none. */
  get oldestAt(): number | undefined {
    const times = this.#segments.flatMap(({ unread, from }) => (unread > 0 ? from : []))
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** Returns the oldest file with events that stand only there, of a class where one is given. */
  oldestUnread(dropClass?: DropClass): Segment | undefined {
    const isSearched = ({ classes }: Segment) => dropClass === undefined || classes.has(dropClass)
    return this.#segments.find((segment) => segment.unread > 0 && isSearched(segment))
  }

  /** Sets the generation with which the names of new files begin. */
  begin(generation: number): void {
    this.#generation = generation
  }

  /** Takes in a file that another process left, in the order of the names. */
  adopt(segment: Segment): void {
    this.#segments = [...this.#segments, segment].toSorted((a, b) => (a.path < b.path ? -1 : 1))
    this.removeIfDone(segment)
  }

  /**
   * Writes lines, in their order, all or none: rejects when the disk refuses. A process that is killed meanwhile leaves the
   * first so many of them.
   */
  async append(lines: readonly NewLine[]): Promise<Copy[]> {
    const writes = this.#placesFor(lines)
    try {
      for (const { segment, own } of writes) {
        await this.#deps.files.append(segment.path, Buffer.concat(own.map(({ line }) => line)))
      }
    } catch (error) {
      await Promise.all(writes.map(({ segment }) => this.#takeBack(segment)))
      throw error
    }
    return writes.flatMap(({ segment, own }) => {
      segment.isBusy = false
      return own.map((line) => place(segment, line))
    })
  }

  /** Removes a file of which nothing is needed. */
  removeIfDone(segment: Segment): void {
    if (segment.live > 0 || segment.unread > 0 || segment.isBusy || segment.isGone) return
    this.inBackground(this.remove(segment))
  }

  /** Removes a file. Rejects when the disk refuses; then {@link removeAgain} tries once more. */
  async remove(segment: Segment): Promise<void> {
    segment.isGone = true
    this.#segments = this.#segments.filter((one) => one !== segment)
    this.#unremoved.add(segment)
    try {
      await this.#deps.files.remove(segment.path)
    } catch (problem) {
      if (codeOf(problem) !== 'ENOENT') throw problem
    }
    this.#unremoved.delete(segment)
  }

  /** Removes the files that the disk did not remove before. Rejects when it refuses again. */
  async removeAgain(): Promise<void> {
    await Promise.all([...this.#unremoved].map((segment) => this.remove(segment)))
  }

  /** Resolves when all files that are not needed are removed. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  /** Lets something happen by itself. */
  inBackground(work: Promise<unknown>): void {
    const whole = work.catch(() => this.#deps.onFailure()).finally(() => this.#underWay.delete(whole))
    this.#underWay.add(whole)
  }

  /** Chooses the files to write lines to: the last one, as long as it has room, and new ones. They are busy then. */
  #placesFor(lines: readonly NewLine[]): { readonly segment: Segment; readonly own: NewLine[] }[] {
    const writes: { readonly segment: Segment; readonly own: NewLine[] }[] = []
    let room = 0
    for (const line of lines) {
      if (writes.length === 0 || line.line.length > room) {
        const last = writes.length === 0 ? this.#lastWithRoomFor(line.line.length) : undefined
        const segment = last ?? this.#newSegment(line.takenAt)
        segment.isBusy = true
        room = this.#deps.segmentBytes - segment.size
        writes.push({ segment, own: [] })
      }
      room -= line.line.length
      writes.at(-1)?.own.push(line)
    }
    return writes
  }

  #lastWithRoomFor(bytes: number): Segment | undefined {
    const last = this.#segments.at(-1)
    return last !== undefined && !last.isSealed && last.size + bytes <= this.#deps.segmentBytes ? last : undefined
  }

  #newSegment(from: number): Segment {
    const last = this.#segments.at(-1)
    if (last !== undefined) last.isSealed = true
    this.#filesMade += 1
    const segment = newSegment(this.#deps.folder, this.#generation, this.#filesMade, from)
    this.#segments = [...this.#segments, segment]
    return segment
  }

  /** Undoes a write: what may have been written of it is cut off, or left after the end that counts. */
  async #takeBack(segment: Segment): Promise<void> {
    await this.#deps.files.truncate(segment.path, segment.size).catch(() => undefined)
    segment.isSealed = true
    segment.isBusy = false
    if (segment.live === 0 && segment.unread === 0) await this.remove(segment).catch(() => undefined)
  }
}

/** Notes a line that was written at the end of a segment. */
function place(segment: Segment, { dropClass, takenAt, line }: NewLine): Copy {
  const copy = { segment, dropClass, start: segment.size, cuts: segment.cuts }
  segment.size += line.length
  segment.live += 1
  segment.from = Math.min(segment.from, takenAt)
  segment.to = Math.max(segment.to, takenAt)
  return copy
}
