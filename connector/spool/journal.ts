import { join } from 'node:path'
import { type DropClass, dropOrder } from './drop-class.ts'
import { Lane, type LaneHead } from './lane.ts'
import type { PatientReader } from './patient-reader.ts'
import { type Segment, erasedMark, leftSegment } from './segment.ts'
import type { SpoolFiles } from './spool-files.ts'
import type { SpooledEvent } from './spool-line.ts'

/** Where the copy of an event that is in memory stands. */
export interface Copy {
  readonly journal: Journal
  readonly segment: Segment
  /** Where its line begins. */
  readonly start: number
}

/** An event that was read from a disk. */
export interface ReadEvent extends SpooledEvent {
  readonly copy: Copy
}

/** An event as it is to be written. */
export interface NewLine {
  readonly dropClass: DropClass
  readonly takenAt: number
  readonly line: Buffer
}

/** `1-0000000042.log`: the class, and which file of this journal it is. */
const fileName = /^([123])-\d{10}\.log$/

/** What a journal is made from. */
export interface JournalParts {
  readonly files: SpoolFiles
  readonly folder: string
  /** When the first of its events was read, or earlier, epoch milliseconds. */
  readonly since: number
  readonly read: PatientReader
  /** A file is ended when it would become longer. */
  readonly segmentBytes: number
  /** Told how many events of a file turned out to be damaged. */
  readonly onDamaged: (segment: Segment, events: number) => void
}

/**
 * The events of one process in one folder. Each class has files of its own, so that the least important can be given
 * up by the file; the numbers of the events put them back into one order.
 */
export class Journal {
  readonly #parts: JournalParts
  readonly #lanes: readonly Lane[]
  #filesMade = 0

  constructor(parts: JournalParts) {
    this.#parts = parts
    const onRead = (segment: Segment) => this.#removeIfDone(segment).catch(() => undefined)
    this.#lanes = dropOrder.map((dropClass) => new Lane({ ...parts, dropClass, onRead }))
  }

  get folder(): string {
    return this.#parts.folder
  }

  /** When the first of its events was read, or earlier, epoch milliseconds. */
  get since(): number {
    return this.#parts.since
  }

  /** Its files, in no order. */
  get segments(): readonly Segment[] {
    return this.#lanes.flatMap((lane) => lane.segments)
  }

  /** Events that stand only here. */
  get unread(): number {
    let unread = 0
    for (const lane of this.#lanes) for (const segment of lane.segments) unread += segment.unread
    return unread
  }

  /** Looks at the files that another process left. A journal that could not look at all of them is of no use. */
  async find(): Promise<void> {
    const { files, folder, since } = this.#parts
    const names = (await files.list(folder)).toSorted()
    for (const lane of this.#lanes) {
      for (const name of names.filter((name) => fileName.exec(name)?.[1] === String(lane.dropClass))) {
        lane.add(await leftSegment(files, join(folder, name), lane.dropClass, since))
      }
    }
  }

  /**
   * Writes events, in order of their numbers, all or none: rejects when the disk refuses one. A process that is killed
   * meanwhile leaves the first so many of them, never one without those before it. All of them are then in memory and here,
   * until {@link leave} or {@link release} says otherwise.
   */
  async append(lines: readonly NewLine[]): Promise<Copy[]> {
    const writes = this.#lanes.flatMap((lane) => {
      const own = lines.filter(({ dropClass }) => dropClass === lane.dropClass)
      const bytes = own.reduce((sum, { line }) => sum + line.length, 0)
      return own.length === 0 ? [] : [{ own, segment: lane.segmentFor(bytes, () => this.#newPath(lane)) }]
    })
    try {
      for (const run of runsOfOneClass(lines)) {
        const write = writes.find(({ segment }) => segment.dropClass === run[0]?.dropClass)
        if (write !== undefined) await this.#parts.files.append(write.segment.path, bytesOf(run))
      }
    } catch (error) {
      await Promise.all(writes.map(({ segment }) => this.#takeBack(segment)))
      throw error
    }
    const copies = new Map<NewLine, Copy>()
    for (const { segment, own } of writes) {
      segment.isBusy = false
      for (const line of own) {
        copies.set(line, { journal: this, segment, start: segment.size })
        segment.size += line.line.length
        segment.live += 1
        segment.from = Math.min(segment.from || line.takenAt, line.takenAt)
        segment.to = Math.max(segment.to, line.takenAt)
      }
    }
    return lines.flatMap((line) => copies.get(line) ?? [])
  }

  /** Says that the event of a copy, and none before it, is in memory no more, and must be read when its turn comes. */
  leave({ segment, start }: Copy): void {
    if (segment.unread === 0) segment.readOffset = start
    segment.live -= 1
    segment.unread += 1
  }

  /** Says that a copy is not needed any more. The file goes with the last of them. */
  async release({ segment }: Copy): Promise<void> {
    segment.live -= 1
    await this.#removeIfDone(segment)
  }

  /** Makes sure that whoever reads the file later does not find an event that was given up. */
  async erase({ segment, start }: Copy): Promise<void> {
    if (!segment.isGone) await this.#parts.files.overwrite(segment.path, start, erasedMark)
  }

  /** The next event in order; `undefined` when none is left. What is damaged is skipped. */
  async next(): Promise<ReadEvent | undefined> {
    for (;;) {
      const heads: { readonly lane: Lane; readonly head: LaneHead }[] = []
      for (const lane of this.#lanes) {
        const head = await lane.head()
        if (head !== undefined) heads.push({ lane, head })
      }
      const [first] = heads.toSorted((a, b) => a.head.spooled.number - b.head.spooled.number)
      if (first === undefined) return undefined
      const { segment } = first.head.line
      const start = segment.readOffset
      // Reading other lanes took time, in which this one may have lost its file.
      if (await first.lane.take(first.head)) {
        return { ...first.head.spooled, copy: { journal: this, segment, start } }
      }
    }
  }

  /** The file whose events are given up when some of this class must be; `undefined` when none stands here alone. */
  victim(dropClass: DropClass): Segment | undefined {
    return this.#lanes.find((lane) => lane.dropClass === dropClass)?.segments.find(({ unread }) => unread > 0)
  }

  /** Forgets what stands only in a file, for the sake of its room. What is in memory as well keeps its copy. */
  async giveUp(segment: Segment): Promise<void> {
    if (segment.live === 0) return this.remove(segment)
    segment.unread = 0
    segment.size = segment.readOffset
    segment.isSealed = true
    for (const lane of this.#lanes) lane.forgetUnread(segment)
    await this.#parts.files.truncate(segment.path, segment.size).catch((problem: unknown) => {
      if (!segment.isGone) throw problem
    })
  }

  /** Forgets a file of which nothing is in memory, and removes it. */
  async remove(segment: Segment): Promise<void> {
    if (segment.isGone) return
    segment.isGone = true
    segment.unread = 0
    for (const lane of this.#lanes) lane.forget(segment)
    await this.#parts.files.remove(segment.path)
  }

  #newPath(lane: Lane): string {
    this.#filesMade += 1
    return join(this.#parts.folder, `${lane.dropClass}-${String(this.#filesMade).padStart(10, '0')}.log`)
  }

  /** Undoes a write: what may have been written of it is cut off, or left behind the end that counts. */
  async #takeBack(segment: Segment): Promise<void> {
    await this.#parts.files.truncate(segment.path, segment.size).catch(() => undefined)
    segment.isSealed = true
    segment.isBusy = false
    await this.#removeIfDone(segment).catch(() => undefined)
  }

  async #removeIfDone(segment: Segment): Promise<void> {
    if (segment.live === 0 && segment.unread === 0 && !segment.isBusy) await this.remove(segment)
  }
}

/** Lines that follow each other and go to one file. */
function runsOfOneClass(lines: readonly NewLine[]): NewLine[][] {
  const runs: NewLine[][] = []
  for (const line of lines) {
    const run = runs.at(-1)
    if (run?.[0]?.dropClass === line.dropClass) run.push(line)
    else runs.push([line])
  }
  return runs
}

function bytesOf(lines: readonly NewLine[]): Buffer {
  return Buffer.concat(lines.map(({ line }) => line))
}
