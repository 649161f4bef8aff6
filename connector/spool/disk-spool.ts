import { join } from 'node:path'
import type { Log } from '../../adapters/log/logger.ts'
import { type FolderLock, holdAgain, lockFolder } from '../../adapters/system/folder-lock.ts'
import { retry } from '../../core/concurrency/retry.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { errorLatch } from '../runtime/error-latch.ts'
import type { DropClass } from './drop-class.ts'
import type { DropTally } from './drop-tally.ts'
import { findLeftSegments } from './left-segments.ts'
import { inFull, patientReader } from './patient-reader.ts'
import { type Segment, beginsAt, isSegment } from './segment.ts'
import type { Copy } from './segment-files.ts'
import { type ReadEvent, SegmentLog } from './segment-log.ts'
import type { SpoolPlace } from './spool.ts'
import { type SpooledEvent, spoolLine } from './spool-line.ts'

/** How long a disk that refused is left alone. */
const leaveAloneMs = 5_000

/** No file of a spool is smaller or larger; between them each is a 32nd of the room that there is. */
const smallestSegment = 64 * 1024
const largestSegment = 8 * 1024 * 1024

/** A disk that is slow to answer takes a storm in few writes, and no write takes long to prepare. */
const largestChunk = 4 * 1024 * 1024

/** Events that were given up and whose copies could not be erased; of more, the next process may find one again. */
const mostUnerased = 10_000

/** `tally` notes the events for which the folder has no room. */
export interface DiskSpoolDeps extends Time {
  readonly log: Log
  readonly tally: DropTally
}

/**
 * Events on a disk, in a folder that one process uses at a time. Nothing of it ever rejects: what a disk cannot do is
 * counted.
 */
export class DiskSpool {
  /** Whether there is a disk at all. */
  readonly isThere: boolean = true
  /** Written at a time, in bytes of memory. */
  readonly chunkBytes: number
  /** Whether the files of earlier processes are being looked for, or the lock of the folder was not refused yet. */
  isSearching = true
  /** Events that earlier processes left, lines that could not be read and count as dropped, and refusals of the disk. */
  readonly counts = { found: 0, damaged: 0, failures: 0 }
  readonly #place: SpoolPlace
  readonly #deps: DiskSpoolDeps
  readonly #log: SegmentLog
  readonly #closing = new AbortController()
  readonly #unerased: Copy[] = []
  #lock: FolderLock | undefined
  /** Resolves when the lock was taken, or could not be taken for the first time. */
  readonly #asked = Promise.withResolvers<void>()
  #hasFolder = false
  /** Files of earlier processes that were not found yet. */
  #unfound = 0
  #refusedAt: number | undefined
  #cancelRemoval: (() => void) | undefined

  constructor(place: SpoolPlace, deps: DiskSpoolDeps) {
    const { files, folder, bytes } = place
    const { timers, log, tally } = deps
    this.#place = place
    this.#deps = deps
    this.chunkBytes = Math.min(largestChunk, Math.floor(bytes / 8))
    this.#log = new SegmentLog({
      files,
      folder,
      bytes,
      segmentBytes: Math.min(largestSegment, Math.max(smallestSegment, Math.floor(bytes / 32))),
      read: patientReader({
        files,
        timers,
        signal: this.#closing.signal,
        onRefused: (problem, tries) => {
          this.counts.failures += 1
          if (tries === 1) log.error('the spool cannot be read: it is tried again', problem)
        },
      }),
      onDropped: ({ dropClass, count, from, to }) => tally.note(dropClass, from, count, to),
      onDamaged: ({ dropClass, count, from, to }) => {
        this.counts.damaged += count
        tally.lost(dropClass, from, count, to)
        log.warn('events in the spool cannot be read', { events: count })
      },
      onFailure: () => {
        this.counts.failures += 1
        this.#removeLater()
      },
    })
  }

  /** Events that are only on disk. */
  get unread(): number {
    return this.#log.unread
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#log.bytes
  }

  /** When the first event that is only on disk was read from the engine, or earlier; absent when there is none. */
  get oldestAt(): number | undefined {
    return this.#log.oldestAt
  }

  /**
   * Takes the lock of the folder, and takes over the events that earlier processes left. `onMoved` is called for each file, and
   * when the lock is refused.
   * They come before what this process puts there, in their order. Resolves when all were found but those that the disk does
   * not show; these are asked for until the spool is closed.
   */
  async open(onMoved: () => void): Promise<void> {
    const { files, folder, onTaken } = this.#place
    const { timers, clock, log } = this.#deps
    const { signal } = this.#closing
    const openedAt = clock.now()
    const onFailure = this.#failuresOf('what an earlier process left cannot be looked through; it will be tried again')
    const taken = await this.#takeLock(onMoved)
    if (taken === undefined) return
    this.isSearching = true
    const { generation, former, names } = taken
    this.#lock = taken
    this.#hasFolder = true
    this.#log.begin(generation)
    this.#asked.resolve()
    for (const name of names) if (name.endsWith('.log.new')) this.#log.inBackground(files.remove(join(folder, name)))
    const found = (segment: Segment) => {
      this.#adopt(segment)
      onMoved()
    }
    const left = names.filter(isSegment)
    this.#unfound = left.length
    const onLost = (name: string) => this.#countLost(name, openedAt)
    const search = { files, folder, timers, signal, onFound: found, onFailure, onLost }
    await findLeftSegments(search, left)
    this.isSearching = false
    if (signal.aborted) return
    if (this.counts.found > 0) log.warn('events of an earlier process were found', { events: this.counts.found })
    if (former !== undefined) onTaken?.(former)
  }

  /** Writes events in their order, all or none; `undefined` when they were not written. */
  async append(events: readonly SpooledEvent[]): Promise<readonly Copy[] | undefined> {
    await this.#asked.promise
    const { files, folder, owner } = this.#place
    const lock = this.#lock
    if (lock === undefined || this.#closing.signal.aborted || this.#isLeftAlone()) return undefined
    const lines = events.map((event) => ({ ...event, line: spoolLine(event) }))
    const needed = lines.reduce((sum, { line }) => sum + line.length, 0)
    const least = lines.reduce<DropClass>((least, { dropClass }) => (dropClass > least ? dropClass : least), 1)
    try {
      if (!(await this.#log.makeRoom(needed, least))) return undefined
      if (!this.#hasFolder) await holdAgain(folder, lock.path, files, owner)
      this.#hasFolder = true
      const copies = await this.#log.append(lines)
      this.#refusedAt = undefined
      for (const copy of this.#unerased.splice(0)) this.#eraseLater(copy)
      return copies
    } catch (problem) {
      this.#hasFolder = false
      this.#refused(problem)
      return undefined
    }
  }

  /** Whether some events that are only on disk are more important than a class, so that they are not given up for it. */
  hasMoreImportant(dropClass: DropClass): boolean {
    return this.#log.hasMoreImportant(dropClass)
  }

  /** Says that an event that was just written leaves memory, with all after it. */
  leave(copy: Copy): void {
    this.#log.leave(copy)
  }

  /** Says that an event needs its copy no more. */
  release(copy: Copy): void {
    this.#log.release(copy)
  }

  /** Says that an event was given up, so that its copy must not be read by the next process either. */
  erase(copy: Copy): void {
    this.#log.release(copy)
    this.#eraseLater(copy)
  }

  /** Reads the next event that is only on disk. */
  next(): Promise<ReadEvent | undefined> {
    return this.#log.next()
  }

  /** Resolves when all files that are not needed are removed; nothing is written afterwards. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#asked.resolve()
    this.#cancelRemoval?.()
    await this.#log.settled()
    await this.#log.removeAgain().catch(() => undefined)
    // A remaining lock names the owner of the events to the next process.
    const isDone = this.#log.isEmpty && this.#unfound === 0
    if (this.#lock !== undefined && isDone) await this.#place.files.remove(this.#lock.path).catch(() => {})
  }

  /** Tries until it has the lock of the folder; `undefined` when the spool was closed before. */
  async #takeLock(onRefused: () => void): Promise<FolderLock | undefined> {
    const { files, folder, owner } = this.#place
    const note = this.#failuresOf(
      'the spool folder cannot be locked: events wait in memory only; it will be tried again',
    )
    const onFailure = (problem: unknown) => {
      note(problem)
      this.isSearching = false
      this.#asked.resolve()
      onRefused()
    }
    const work = () => lockFolder(folder, files, owner)
    const rules = { signal: this.#closing.signal, onFailure }
    return (await retry(work, { timers: this.#deps.timers, random: inFull }, rules))?.value
  }

  /** Returns what counts failures, and logs the first one with a message. */
  #failuresOf(message: string): (problem: unknown) => void {
    const failing = errorLatch(this.#deps.log, message)
    return (problem) => {
      this.counts.failures += 1
      failing.note(problem)
    }
  }

  #adopt(segment: Segment): void {
    this.#unfound -= 1
    this.counts.found += segment.unread
    this.#log.adopt(segment)
  }

  /** Counts a file with unknown content as one important event. Its events are sent if it can be read one day. */
  #countLost(name: string, openedAt: number): void {
    const { log, tally } = this.#deps
    this.counts.damaged += 1
    tally.lost(1, beginsAt(name), 1, openedAt)
    log.warn('a file of an earlier process cannot be read: its events count as lost', { file: name })
  }

  /** Erases now, and after the next write once more when the disk refuses. */
  #eraseLater(copy: Copy): void {
    const again = () => {
      if (this.#unerased.length < mostUnerased) this.#unerased.push(copy)
    }
    this.#log.inBackground(this.#log.erase(copy).catch(again))
  }

  /** Tries again in a moment to remove the files that the disk did not remove. */
  #removeLater(): void {
    if (this.#closing.signal.aborted) return
    this.#cancelRemoval ??= this.#deps.timers.after(leaveAloneMs, () => {
      this.#cancelRemoval = undefined
      this.#log.inBackground(this.#log.removeAgain().catch(() => this.#removeLater()))
    })
  }

  #refused(problem: unknown): void {
    this.counts.failures += 1
    if (this.#refusedAt === undefined) {
      this.#deps.log.error('the spool cannot be written: events wait in memory only', problem)
    }
    this.#refusedAt = this.#deps.clock.now()
    this.#removeLater()
  }

  /** Not for longer when the clock is set back. */
  #isLeftAlone(): boolean {
    const agoMs = this.#deps.clock.now() - (this.#refusedAt ?? -Infinity)
    return agoMs >= 0 && agoMs < leaveAloneMs
  }
}
