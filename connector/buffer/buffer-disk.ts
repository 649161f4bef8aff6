import type { Log } from '../../adapters/log/logger.ts'
import { type FolderLock, type LockOwner, holdAgain, lockFolder } from '../../adapters/system/folder-lock.ts'
import { retry } from '../../core/concurrency/retry.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { errorLatch } from '../runtime/error-latch.ts'
import type { Drop, DropClass, DropTally } from './drops.ts'
import { type LogEntry, entryLine } from './log-entry.ts'
import { type Copy, beginsAt, inFull, isSegment, leftSegment, patientReader } from './segment.ts'
import { Segments } from './segments.ts'
import type { SpoolFiles } from './spool-files.ts'

/** Where a buffer's files are, and how much they may hold. */
export interface SpoolLocation {
  /** A folder that one process uses at a time. */
  readonly folder: string
  /** Bytes of all files, with those that earlier processes left. */
  readonly bytes: number
  readonly files: SpoolFiles
  readonly owner: LockOwner
  readonly onTaken?: ((owner: string) => void) | undefined
}

const leaveAloneMs = 5_000

/** No file is smaller or larger; between them each is a 32nd of the room that there is. */
const smallestSegment = 64 * 1024
const largestSegment = 8 * 1024 * 1024

/** A disk that is slow to answer takes a storm in few writes, and no write takes long to prepare. */
const largestChunk = 4 * 1024 * 1024

/** A file of an earlier process is asked for so often, which takes four seconds. */
const mostLooks = 5

/** `tally` notes the entries for which the folder has no room. */
export interface BufferDiskDeps extends Time {
  readonly log: Log
  readonly tally: DropTally
}

/**
 * Entries on a disk, in a folder that one process uses at a time. Nothing of it ever rejects: what a disk cannot do is
 * counted.
 */
export class BufferDisk {
  /** Written at a time, in bytes of memory. */
  readonly chunkBytes: number
  /** Whether the files of earlier processes are being looked for, or the lock of the folder was not refused yet. */
  isSearching = true
  /**
   * Entries that earlier processes left, lines that could not be read and count as dropped, and refusals of the disk.
   */
  readonly counts = { found: 0, damaged: 0, failures: 0 }
  readonly #place: SpoolLocation
  readonly #deps: BufferDiskDeps
  readonly #segments: Segments
  readonly #closing = new AbortController()
  #lock: FolderLock | undefined
  /** Resolves when the lock was taken, or could not be taken for the first time. */
  readonly #asked = Promise.withResolvers<void>()
  #hasFolder = false
  /** Files of earlier processes that were not found. */
  #unfound = 0
  #refusedAt: number | undefined

  constructor(place: SpoolLocation, deps: BufferDiskDeps) {
    const { files, folder, bytes } = place
    const { timers, log, tally } = deps
    this.#place = place
    this.#deps = deps
    this.chunkBytes = Math.min(largestChunk, Math.floor(bytes / 8))
    this.#segments = new Segments({
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
      onDropped: (drop) => tally.note(drop),
      onDamaged: (drop) => this.#countDamaged(drop),
      onFailure: () => void (this.counts.failures += 1),
    })
  }

  /** Entries that are only on disk. */
  get unread(): number {
    return this.#segments.unread
  }

  get bytes(): number {
    return this.#segments.bytes
  }

  /** When the first event that is only on disk was read from the engine, or earlier; absent when there is none. */
  get oldestAt(): number | undefined {
    return this.#segments.oldestAt
  }

  /**
   * Takes the lock of the folder, and takes over the entries that earlier processes left. `onMoved` is called for each
   * file, and when the lock is refused. They come before what this process puts there, in their order. Resolves when
   * all were found but those that the disk does not show, which the next process will look for.
   */
  async open(onMoved: () => void): Promise<void> {
    const { onTaken } = this.#place
    const lock = await this.#takeLock(onMoved)
    if (lock === undefined) return
    this.isSearching = true
    this.#lock = lock
    this.#hasFolder = true
    this.#segments.begin(lock.generation)
    this.#asked.resolve()
    const left = lock.names.filter(isSegment).toSorted()
    this.#unfound = left.length
    for (const name of left) {
      await this.#find(name)
      if (this.#closing.signal.aborted) return
      onMoved()
    }
    this.isSearching = false
    const { found } = this.counts
    if (found > 0) this.#deps.log.warn('events of an earlier process were found', { events: found })
    if (lock.former !== undefined) onTaken?.(lock.former)
  }

  /** Writes entries in their order, all or none; `undefined` when they were not written. */
  async append(entries: readonly LogEntry[]): Promise<readonly Copy[] | undefined> {
    await this.#asked.promise
    const { files, folder, owner } = this.#place
    const lock = this.#lock
    if (lock === undefined || this.#closing.signal.aborted || this.#isLeftAlone()) return undefined
    const lines = entries.map((entry) => ({ ...entry, line: entryLine(entry) }))
    try {
      if (!(await this.#segments.makeRoom(lines.reduce((sum, { line }) => sum + line.length, 0)))) return undefined
      if (!this.#hasFolder) await holdAgain(folder, lock.path, files, owner)
      this.#hasFolder = true
      const copies = await this.#segments.append(lines)
      this.#refusedAt = undefined
      return copies
    } catch (problem) {
      this.#hasFolder = false
      this.#noteRefusal(problem)
      return undefined
    }
  }

  /** Says that an entry that was just written leaves memory, with all after it. */
  leave(copy: Copy, dropClass: DropClass): void {
    this.#segments.leave(copy, dropClass)
  }

  /** Says that an entry needs its copy no more. */
  release(copy: Copy): void {
    this.#segments.release(copy)
  }

  /** Reads the next entry that is only on disk. */
  next(): ReturnType<Segments['next']> {
    return this.#segments.next()
  }

  /** Resolves when all files that are not needed are removed; nothing is written afterwards. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#asked.resolve()
    await this.#segments.close()
    // A remaining lock names the owner of the events to the next process.
    const isDone = this.#segments.isEmpty && this.#unfound === 0
    if (this.#lock !== undefined && isDone) await this.#place.files.remove(this.#lock.path).catch(() => {})
  }

  /** Tries until it has the lock of the folder; `undefined` when it was closed before. */
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

  /** A file that the disk does not show counts as one lost event that is important. */
  async #find(name: string): Promise<void> {
    const { files, folder } = this.#place
    const { clock, timers, log } = this.#deps
    const { signal } = this.#closing
    const onFailure = this.#failuresOf('what an earlier process left cannot be looked through; it will be tried again')
    try {
      const look = () => leftSegment(files, folder, name)
      const found = await retry(look, { timers, random: inFull }, { attempts: mostLooks, signal, onFailure })
      if (found === undefined || signal.aborted) return
      this.#unfound -= 1
      this.counts.found += found.value.unread
      this.#segments.adopt(found.value)
    } catch {
      log.warn('a file of an earlier process cannot be read: its events count as lost', { file: name })
      this.#countDamaged({ class: 1, count: 1, from: beginsAt(name), to: clock.now() })
    }
  }

  #countDamaged(drop: Drop): void {
    if (drop.count === 0) return
    this.counts.damaged += drop.count
    this.#deps.tally.lost(drop)
    this.#deps.log.warn('events in the spool cannot be read', { events: drop.count })
  }

  #failuresOf(message: string): (problem: unknown) => void {
    const failing = errorLatch(this.#deps.log, message)
    return (problem) => {
      this.counts.failures += 1
      failing.note(problem)
    }
  }

  #noteRefusal(problem: unknown): void {
    this.counts.failures += 1
    if (this.#refusedAt === undefined) {
      this.#deps.log.error('the spool cannot be written: events wait in memory only', problem)
    }
    this.#refusedAt = this.#deps.clock.now()
  }

  /** Not for longer when the clock is set back. */
  #isLeftAlone(): boolean {
    const agoMs = this.#deps.clock.now() - (this.#refusedAt ?? -Infinity)
    return agoMs >= 0 && agoMs < leaveAloneMs
  }
}
