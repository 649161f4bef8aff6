import { type Drop, type DropClass, dropClasses } from './drops.ts'
import { type LogEntry, headOf, readEntry } from './log-entry.ts'
import { type Copy, type PatientReader, type Segment, lineAt, newSegment } from './segment.ts'
import { type SpoolFiles, codeOf } from './spool-files.ts'

/** An entry as it is to be written. */
export interface NewLine {
  readonly dropClass: DropClass
  readonly readAt: number
  /** By `entryLine`. */
  readonly line: Buffer
}

export interface SegmentsDeps {
  readonly files: SpoolFiles
  readonly folder: string
  /** The most that all files may take together. */
  readonly bytes: number
  /** A file is ended when it would become longer. */
  readonly segmentBytes: number
  readonly read: PatientReader
  /** Called with entries that were given up for room. */
  readonly onDropped: (drop: Drop) => void
  /** Called with entries that cannot be read back. */
  readonly onDamaged: (drop: Drop) => void
  readonly onFailure: () => void
}

/**
 * Entries on a disk, in their order, in append-only files of bounded size. Lines are appended to the last file. Without
 * room the oldest file gives up what stands only there. A file of which nothing is needed is removed.
 */
export class Segments {
  readonly #deps: SegmentsDeps
  #all: readonly Segment[] = []
  readonly #underWay = new Set<Promise<unknown>>()
  /** The bytes of the oldest file that was read, from an offset on. */
  #ahead: { readonly segment: Segment; readonly bytes: Buffer; readonly from: number } | undefined
  #generation = 0
  #filesMade = 0

  constructor(deps: SegmentsDeps) {
    this.#deps = deps
  }

  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  /** Entries that stand only here. */
  get unread(): number {
    return this.#all.reduce((sum, { unread }) => sum + unread, 0)
  }

  get bytes(): number {
    return this.#all.reduce((sum, { size }) => sum + size, 0)
  }

  /** When the first event that stands only here was read from the engine, or earlier; absent when there is none. */
  get oldestAt(): number | undefined {
    const times = this.#all.flatMap(({ unread, from }) => (unread > 0 ? from : []))
    return times.length === 0 ? undefined : Math.min(...times)
  }

  begin(generation: number): void {
    this.#generation = generation
  }

  /** Takes in a file that another process left, in the order of the names. */
  adopt(segment: Segment): void {
    this.#all = [...this.#all, segment].toSorted((a, b) => (a.path < b.path ? -1 : 1))
    this.#sweep()
  }

  /**
   * Writes lines, in their order, all or none: rejects when the disk refuses. A process that is killed meanwhile leaves
   * the first so many of them. All of them are then in memory and here, until {@link leave} or {@link release} says
   * otherwise.
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
    this.#sweep()
    return writes.flatMap(({ segment, own }) => {
      segment.isBusy = false
      return own.map((line) => place(segment, line))
    })
  }

  /** Says that an entry, and none before it, is in memory no more, and must be read when its turn comes. */
  leave({ segment, start }: Copy, dropClass: DropClass): void {
    if (segment.unread === 0) segment.readOffset = start
    segment.classes[dropClass] += 1
    segment.live -= 1
    segment.unread += 1
  }

  /** Says that a copy is not needed any more. The file goes with the last of them. */
  release({ segment }: Copy): void {
    segment.live -= 1
    this.#sweep()
  }

  /** Reads the next entry that stands only here; `undefined` when none is left. What is damaged is skipped. */
  async next(): Promise<{ readonly entry: LogEntry; readonly copy: Copy } | undefined> {
    for (;;) {
      const segment = this.#oldestUnread()
      if (segment === undefined) return undefined
      const line = this.#nextLine(segment) ?? (await this.#readOn(segment))
      if (line === 'closed') return undefined
      if (line === 'moved') continue
      const start = segment.readOffset
      const [entry, dropClass] = [readEntry(line), headOf(line)?.dropClass ?? 1]
      segment.readOffset += line.length + 1
      segment.unread -= 1
      segment.classes[dropClass] -= 1
      if (segment.unread === 0) this.#ahead = undefined
      if (entry !== undefined) {
        segment.live += 1
        return { entry: segment.isLeft ? { ...entry, number: 0 } : entry, copy: { segment, start } }
      }
      this.#deps.onDamaged({ class: dropClass, count: 1, from: segment.from, to: segment.to })
      this.#sweep()
    }
  }

  /**
   * Gives up the oldest file, and the next ones, until there is room; `false` when there is none. Rejects when the disk
   * refuses.
   */
  async makeRoom(needed: number): Promise<boolean> {
    const { bytes } = this.#deps
    if (needed > bytes) return false
    while (this.bytes + needed > bytes) {
      const oldest = this.#oldestUnread()
      if (oldest === undefined) return false
      await this.#giveUp(oldest)
    }
    return true
  }

  /** Removes the files that are not needed; what the disk does not remove is tried again with the next change. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay)
    this.#sweep()
    await Promise.all(this.#underWay)
  }

  #oldestUnread(): Segment | undefined {
    return this.#all.find(({ unread }) => unread > 0)
  }

  /** The next line of a file, from what was read of it. */
  #nextLine(segment: Segment): Buffer | undefined {
    const ahead = this.#ahead
    return ahead?.segment === segment ? lineAt(ahead.bytes, segment.readOffset - ahead.from) : undefined
  }

  async #readOn(segment: Segment): Promise<Buffer | 'closed' | 'moved'> {
    const from = segment.readOffset
    const bytes = await this.#deps.read(segment)
    if (bytes === undefined) return 'closed'
    if (segment.unread === 0 || this.#oldestUnread() !== segment) return 'moved'
    this.#ahead = { segment, bytes, from }
    const line = lineAt(bytes, 0)
    if (line !== undefined) return line
    // The disk does not give back what it took.
    this.#lose(segment, this.#deps.onDamaged)
    this.#sweep()
    return 'moved'
  }

  /** Forgets everything that stands only in a file. What is in memory as well keeps its copy. */
  async #giveUp(segment: Segment): Promise<void> {
    this.#lose(segment, this.#deps.onDropped)
    segment.isSealed = true
    this.#ahead = undefined
    if (segment.live === 0) return this.#remove(segment)
    segment.size = segment.readOffset
    await this.#deps.files.truncate(segment.path, segment.size).catch(() => this.#deps.onFailure())
  }

  #lose(segment: Segment, tell: (drop: Drop) => void): void {
    const { classes, from, to } = segment
    for (const dropClass of dropClasses) tell({ class: dropClass, count: Math.max(0, classes[dropClass]), from, to })
    Object.assign(classes, { 1: 0, 2: 0, 3: 0 })
    segment.unread = 0
  }

  /** Removes the files that are not needed, in the background. */
  #sweep(): void {
    for (const segment of this.#all.filter(({ live, unread, isBusy }) => live + unread === 0 && !isBusy)) {
      const work = this.#remove(segment)
        .catch(() => this.#deps.onFailure())
        .finally(() => this.#underWay.delete(work))
      this.#underWay.add(work)
    }
  }

  async #remove(segment: Segment): Promise<void> {
    segment.isBusy = true
    segment.isSealed = true
    try {
      await this.#deps.files.remove(segment.path)
    } catch (problem) {
      segment.isBusy = false
      if (codeOf(problem) !== 'ENOENT') throw problem
    }
    this.#all = this.#all.filter((one) => one !== segment)
  }

  /** Chooses the files to write lines to: the last one, as long as it has room, and new ones. They are busy then. */
  #placesFor(lines: readonly NewLine[]): { readonly segment: Segment; readonly own: NewLine[] }[] {
    const writes: { readonly segment: Segment; readonly own: NewLine[] }[] = []
    let room = 0
    for (const line of lines) {
      if (writes.length === 0 || line.line.length > room) {
        const last = writes.length === 0 ? this.#lastWithRoomFor(line.line.length) : undefined
        const segment = last ?? this.#newSegment(line.readAt)
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
    const last = this.#all.at(-1)
    return last !== undefined && !last.isSealed && last.size + bytes <= this.#deps.segmentBytes ? last : undefined
  }

  #newSegment(from: number): Segment {
    const last = this.#all.at(-1)
    if (last !== undefined) last.isSealed = true
    this.#filesMade += 1
    const segment = newSegment(this.#deps.folder, this.#generation, this.#filesMade, from)
    this.#all = [...this.#all, segment]
    return segment
  }

  /** Undoes a write: what may have been written of it is cut off, or left after the end that counts. */
  async #takeBack(segment: Segment): Promise<void> {
    await this.#deps.files.truncate(segment.path, segment.size).catch(() => undefined)
    segment.isSealed = true
    segment.isBusy = false
    if (segment.live === 0 && segment.unread === 0) await this.#remove(segment).catch(() => undefined)
  }
}

function place(segment: Segment, { readAt, line }: NewLine): Copy {
  const copy = { segment, start: segment.size }
  segment.size += line.length
  segment.live += 1
  segment.from = Math.min(segment.from, readAt)
  segment.to = Math.max(segment.to, readAt)
  return copy
}
