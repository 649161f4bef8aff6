import { type DropClass, dropOrder } from './drop-class.ts'
import type { PatientReader } from './patient-reader.ts'
import { type ReadLine, type Segment, restWithout } from './segment.ts'
import { type Copy, type NewLine, SegmentFiles, type SegmentFilesDeps } from './segment-files.ts'
import { type SpooledEvent, erasedMark } from './spool-line.ts'

/** An event that was read from a disk. */
export interface ReadEvent extends SpooledEvent {
  readonly copy: Copy
}

/** Events of one class that were lost, and when the first and the last of them were read. */
export interface LostEvents {
  readonly dropClass: DropClass
  readonly count: number
  readonly from: number
  readonly to: number
}

/** The dependencies of a {@link SegmentLog}. */
export interface SegmentLogDeps extends SegmentFilesDeps {
  /** The most that all files may take together. */
  readonly bytes: number
  readonly read: PatientReader
  /** Called with events that were given up for room. */
  readonly onDropped: (lost: LostEvents) => void
  /** Called with events that cannot be read back. */
  readonly onDamaged: (lost: LostEvents) => void
}

/**
 * Events on a disk, in their order, in append-only files of bounded size. The oldest file that holds events
 * of the least important class gives them up first: it is replaced by one without them. So a file is replaced twice at
 * most before it is removed.
 */
export class SegmentLog {
  readonly #deps: SegmentLogDeps
  readonly #files: SegmentFiles
  /** Lines that were read ahead of their turn. */
  #ahead: readonly ReadLine[] = []
  #rewriting: Promise<void> | undefined

  constructor(deps: SegmentLogDeps) {
    this.#deps = deps
    this.#files = new SegmentFiles(deps)
  }

  get isEmpty(): boolean {
    return this.#files.isEmpty
  }

  /** Events that stand only here. */
  get unread(): number {
    return this.#files.unread
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#files.bytes
  }

  /** When the first event that stands only here was read from the engine, or earlier; absent when there is none. */
  get oldestAt(): number | undefined {
    return this.#files.oldestAt
  }

  /** Sets the generation with which the names of new files begin. */
  begin(generation: number): void {
    this.#files.begin(generation)
  }

  /** Takes in a file that another process left. Its events come before those of younger files. */
  adopt(segment: Segment): void {
    this.#ahead = []
    this.#files.adopt(segment)
  }

  /**
   * Writes events, in their order, all or none: rejects when the disk refuses. A process that is killed meanwhile
   * leaves the first so many of them. All of them are then in memory and here, until {@link leave} or {@link release} says
   * otherwise.
   */
  append(lines: readonly NewLine[]): Promise<Copy[]> {
    return this.#files.append(lines)
  }

  /** Says that the event of a copy, and none before it, is in memory no more, and must be read when its turn comes. */
  leave({ segment, dropClass, start }: Copy): void {
    if (segment.unread === 0) {
      segment.readOffset = start
      segment.classes.clear()
    }
    segment.classes.add(dropClass)
    segment.live -= 1
    segment.unread += 1
  }

  /** Says that a copy is not needed any more. The file goes with the last of them. */
  release({ segment }: Copy): void {
    segment.live -= 1
    this.#files.removeIfDone(segment)
  }

  /** Makes sure that the next process does not find an event that was given up. Rejects when the disk refuses. */
  async erase({ segment, start, cuts }: Copy): Promise<void> {
    await this.#rewriting?.catch(() => undefined)
    // A line that was cut off is not there any more, and others stand where it stood.
    if (!segment.isGone && segment.cuts === cuts) await this.#deps.files.overwrite(segment.path, start, erasedMark)
  }

  /** Reads the next event that stands only here; `undefined` when none is left. What is damaged is skipped. */
  async next(): Promise<ReadEvent | undefined> {
    for (;;) {
      while (this.#rewriting !== undefined) await this.#rewriting.catch(() => undefined)
      const [line] = this.#ahead
      if (line === undefined) {
        if (!(await this.#readAhead())) return undefined
        continue
      }
      const { segment, spooled, start } = line
      this.#ahead = this.#ahead.slice(1)
      segment.readOffset = line.nextOffset
      segment.unread -= 1
      if (spooled !== undefined) {
        segment.live += 1
        return { ...spooled, copy: { segment, dropClass: spooled.dropClass, start, cuts: segment.cuts } }
      }
      if (!line.isErased) this.#deps.onDamaged(unknownOf(segment, 1))
      this.#files.removeIfDone(segment)
    }
  }

  /** Whether some events that stand only here are more important than a class. */
  hasMoreImportant(dropClass: DropClass): boolean {
    return dropOrder.some((one) => one < dropClass && this.#files.oldestUnread(one) !== undefined)
  }

  /** Resolves when all files that are not needed are removed. */
  settled(): Promise<void> {
    return this.#files.settled()
  }

  /** Removes the files that the disk did not remove before. Rejects when it refuses again. */
  removeAgain(): Promise<void> {
    return this.#files.removeAgain()
  }

  /** Lets work that changes files go on; its failure is counted. */
  inBackground(work: Promise<unknown>): void {
    this.#files.inBackground(work)
  }

  /**
   * Gives up the least important events, none of them more important than `least`; `false` when that is not enough. Rejects when
   * the disk refuses.
   */
  async makeRoom(needed: number, least: DropClass): Promise<boolean> {
    const { bytes, segmentBytes } = this.#deps
    // A file is written anew before the old one goes.
    const most = bytes - segmentBytes
    if (needed > most) return false
    while (this.bytes + needed > most) {
      const victim = this.#victim(least)
      if (victim === undefined) return false
      const { segment, dropClass } = victim
      if (segment.classes.size === 1) await this.#giveUp(segment, dropClass)
      else await this.#drop(segment, dropClass)
    }
    return true
  }

  /** Reads more lines; `false` when there are none, or reading was ended. */
  async #readAhead(): Promise<boolean> {
    const segment = this.#files.oldestUnread()
    if (segment === undefined) return false
    const { rewrites } = segment
    const lines = await this.#deps.read(segment)
    if (lines === undefined) return false
    if (segment.unread === 0 || segment.rewrites !== rewrites) return true
    if (this.#files.oldestUnread() !== segment) return true
    this.#ahead = lines.slice(0, segment.unread)
    if (lines.length > 0) return true
    // The disk does not give back what it took.
    this.#deps.onDamaged(unknownOf(segment, segment.unread))
    segment.unread = 0
    this.#files.removeIfDone(segment)
    return true
  }

  /** Finds the file whose events are given up first. */
  #victim(least: DropClass): { readonly segment: Segment; readonly dropClass: DropClass } | undefined {
    for (const dropClass of dropOrder.filter((one) => one >= least)) {
      const segment = this.#files.oldestUnread(dropClass)
      if (segment !== undefined) return { segment, dropClass }
    }
    return undefined
  }

  /** Forgets everything that stands only in a file. What is in memory as well keeps its copy. */
  async #giveUp(segment: Segment, dropClass: DropClass): Promise<void> {
    this.#deps.onDropped(allOf(segment, dropClass, segment.unread))
    segment.unread = 0
    segment.isSealed = true
    this.#forgetAhead(segment)
    if (segment.live === 0) return this.#files.remove(segment)
    segment.size = segment.readOffset
    await this.#deps.files.truncate(segment.path, segment.size).catch(() => this.#deps.onFailure())
  }

  async #drop(segment: Segment, dropClass: DropClass): Promise<void> {
    segment.isBusy = true
    // Marks on the old file, which are being made, must not be lost.
    this.#rewriting = this.#files.settled().then(() => this.#rewrite(segment, dropClass))
    try {
      await this.#rewriting
    } finally {
      this.#rewriting = undefined
      segment.isBusy = false
      this.#files.removeIfDone(segment)
    }
  }

  /** Replaces a file by one without the events of a class. One that cannot be read keeps them until all of it goes. */
  async #rewrite(segment: Segment, dropClass: DropClass): Promise<void> {
    const { files, onDropped, onDamaged } = this.#deps
    segment.isSealed = true
    const rest = await restWithout(files, segment, dropClass).catch(() => undefined)
    if (rest === undefined || rest.dropped === 0) {
      segment.classes.delete(dropClass)
      return
    }
    const copies = segment.live === 0 ? Buffer.alloc(0) : await files.read(segment.path, 0, segment.readOffset)
    const bytes = Buffer.concat([copies, ...rest.kept])
    await files.replace(segment.path, bytes)
    const damaged = segment.unread - rest.keptLines - rest.dropped
    segment.classes.delete(dropClass)
    segment.unread = rest.keptLines
    segment.size = bytes.length
    if (copies.length < segment.readOffset) segment.cuts += 1
    segment.readOffset = copies.length
    segment.rewrites += 1
    this.#forgetAhead(segment)
    onDropped({ dropClass, count: rest.dropped, from: rest.from, to: rest.to })
    if (damaged > 0) onDamaged(unknownOf(segment, damaged))
  }

  #forgetAhead(segment: Segment): void {
    if (this.#ahead[0]?.segment === segment) this.#ahead = []
  }
}

function allOf({ from, to }: Segment, dropClass: DropClass, count: number): LostEvents {
  return { dropClass, count, from, to }
}

/** Returns events of a segment that cannot be read. They count as the most important ones that may have been there. */
function unknownOf(segment: Segment, count: number): LostEvents {
  const most = [...segment.classes].toSorted((a, b) => a - b)[0] ?? 1
  return allOf(segment, most, count)
}
