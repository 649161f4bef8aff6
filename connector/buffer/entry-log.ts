import { type Time, pause } from '../../core/concurrency/timers.ts'
import type { BufferDisk } from './buffer-disk.ts'
import { Chain } from './chain.ts'
import type { Drop, DropTally } from './drops.ts'
import { type LogContent, type LogEntry, classOf } from './log-entry.ts'
import { LogWriter } from './log-writer.ts'
import { type Waiting, newWaiting } from './waiting.ts'

/** How much of what waits may be in memory, in bytes as {@link Waiting} counts them. */
export interface MemoryLimits {
  /** The entries that can be handled, and what came of them. */
  readonly window: number
  /** These, and those that wait to be written to the disk. */
  readonly all: number
}

/** 48 MiB hold seconds of a busy engine, and half of the rest what 32 engines had sent when reading should stop. */
export const usualMemory: MemoryLimits = { window: 48 * 1024 * 1024, all: 64 * 1024 * 1024 }

/** Read from the disk at a time: no more than this, and than a quarter of the window. */
const largestChunk = 1024 * 1024

/** How long new entries wait for what earlier processes left to be found; it is looked for to the end all the same. */
const openMs = 5_000

/** The queue drops messages of this age, so an event that waited on a disk for longer is not delivered either. */
const staleMs = 4 * 24 * 3_600_000

export interface EntryLogDeps extends Time {
  /**
   * Where entries wait that memory has no room for, and those that a killed process must not lose; nowhere if absent.
   */
  readonly disk: BufferDisk | undefined
  readonly tally: DropTally
  readonly memory: MemoryLimits
  /** Called when there may be an entry to handle, or nothing any more. */
  readonly onMoved: () => void
}

/**
 * Entries in the order in which they were taken, in memory and on disk. The oldest are in memory and can be handled
 * (the window). When it is full, newer ones wait on disk, and the newest, for a moment, in memory to be written there
 * (the tail). What is not done within half a second is on disk besides. While the disk is writing and the tail is long,
 * no more should be read. When there is no room for the tail either, the oldest entry that is on no disk goes.
 */
export class EntryLog {
  readonly #deps: EntryLogDeps
  readonly #writer: LogWriter
  readonly #all = new Set<Waiting>()
  readonly #ready = new Chain<Waiting>()
  readonly #tail = new Chain<Waiting>()
  readonly #unwritten = new Chain<Waiting>()
  /** Events that came of entries, for the queue. */
  #unsent = 0
  /** While the window holds more bytes, no further entry is handled. */
  readonly #handledBytes: number
  /** While the tail holds more bytes and the disk is writing, no more should be read. */
  readonly #tailBytes: number
  readonly #chunkBytes: number
  #readers: (() => void)[] = []
  #bytes = 0
  #windowBytes = 0
  #added = 0
  #isOpen: boolean
  #isClosed = false
  #isLoading = false

  constructor(deps: EntryLogDeps) {
    const { disk, memory } = deps
    this.#deps = deps
    this.#tailBytes = (memory.all - memory.window) / 4
    this.#handledBytes = memory.window + this.#tailBytes
    this.#chunkBytes = Math.min(largestChunk, memory.window / 4)
    this.#isOpen = disk === undefined
    this.#writer = new LogWriter({
      ...deps,
      unwritten: this.#unwritten,
      isPressed: () => this.#tail.size > 0,
      onWritten: (entry) => this.#settle(entry),
      onEnded: () => this.#moveOn(),
    })
    if (disk !== undefined) void this.#open(disk)
  }

  /** Whether nothing waits, in memory or on disk, also of earlier processes as far as the disk shows it. */
  get isEmpty(): boolean {
    return this.isHandled && this.#all.size === 0
  }

  /** Whether every entry so far has been handled. */
  get isHandled(): boolean {
    const isFound = this.#isOpen && this.#deps.disk?.isSearching !== true
    return isFound && !this.#isLoading && this.#ready.size + this.#tail.size + (this.#deps.disk?.unread ?? 0) === 0
  }

  get waiting(): number {
    return this.#all.size + (this.#deps.disk?.unread ?? 0)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** When the oldest event that waits was read, epoch milliseconds. */
  get oldestAt(): number {
    return Math.min(oldestOf(this.#all), this.#deps.disk?.oldestAt ?? Infinity)
  }

  /** When the oldest event that is on no disk was read, epoch milliseconds. */
  get unwrittenAt(): number {
    return oldestOf(this.#unwritten.values())
  }

  /** Entries that should have been on disk and were not, since the disk did not take them. */
  get skipped(): number {
    return this.#writer.skipped
  }

  /** The number of the newest entry that this process took. */
  get newest(): number {
    return this.#added
  }

  /** The next entry to be handled, if it is in memory, and there is room for what comes of it. */
  get next(): Waiting | undefined {
    const isFull = this.#unsent > 0 && this.#windowBytes > this.#handledBytes
    return this.#isClosed || isFull ? undefined : this.#ready.first?.value
  }

  /** Takes an event that was read at `readAt`, epoch milliseconds. What there is no room for is given up. */
  add(content: LogContent, readAt: number): void {
    this.#added += 1
    const entry = newWaiting({ content, readAt, dropClass: classOf(content), number: this.#added })
    entry.ofOrder = this.#tail.push(entry)
    entry.ofUnwritten = this.#unwritten.push(entry)
    this.#enter(entry)
    this.#moveOn()
    // One alone is never too much.
    while (!entry.isGone && this.#all.size > 1 && this.#bytes > this.#deps.memory.all) {
      this.#giveUp(this.#victim() ?? entry)
      this.#moveOn()
    }
    this.#writer.wake()
  }

  /**
   * What to wait for before more is read; `undefined` when nothing has to be. A disk that refuses, or has not answered
   * for 5 s, is not waited for.
   */
  room(): Promise<void> | undefined {
    return this.#hasRoom ? undefined : new Promise((resolve) => this.#readers.push(resolve))
  }

  /** Notes that an event for the queue, of so many bytes, came of an entry. */
  noteUnsent(entry: Waiting, bytes: number): void {
    entry.unsent += 1
    this.#unsent += 1
    this.#grow(entry, bytes)
  }

  /** Notes that the queue took an event that came of an entry. */
  noteSent(entry: Waiting): void {
    entry.unsent -= 1
    this.#unsent -= 1
    this.#leaveIfDone(entry)
  }

  /** Notes that all that comes of an entry is known. */
  handled(entry: Waiting): void {
    entry.isHandled = true
    this.#ready.remove(entry.ofOrder)
    this.#leaveIfDone(entry)
  }

  /** Writes what is only in memory to the disk. Returns how many entries are lost, which are counted as dropped. */
  async close(): Promise<number> {
    this.#isClosed = true
    this.#letRead()
    await this.#writer.finish()
    const lost = [...this.#unwritten.values()]
    for (const entry of lost) this.#giveUp(entry)
    await this.#deps.disk?.close()
    return lost.length
  }

  async #open(disk: BufferDisk): Promise<void> {
    const over = new AbortController()
    const looked = disk.open(() => this.#moveOn())
    await Promise.race([looked, pause(this.#deps.timers, openMs, over.signal)])
    over.abort()
    this.#isOpen = true
    this.#moveOn()
    await looked
    this.#moveOn()
  }

  #moveOn(): void {
    this.#refill()
    this.#letRead()
    this.#deps.onMoved()
  }

  get #hasRoom(): boolean {
    return this.#isClosed || this.#bytes - this.#windowBytes <= this.#tailBytes || !this.#writer.isWriting
  }

  #letRead(): void {
    if (this.#hasRoom) for (const resolve of this.#readers.splice(0)) resolve()
  }

  /** Takes entries into the window, from the disk first. */
  #refill(): void {
    const { disk, memory } = this.#deps
    if (!this.#isOpen || this.#isLoading || this.#isClosed) return
    if (disk !== undefined && disk.unread > 0) {
      const mayLoad = this.#windowBytes === 0 || this.#bytes + this.#chunkBytes <= memory.all
      if (this.#windowBytes <= memory.window / 2 && mayLoad) void this.#load(disk)
      return
    }
    for (let link = this.#tail.first; link !== undefined; link = this.#tail.first) {
      if (this.#windowBytes > 0 && this.#windowBytes + link.value.bytes > memory.window) break
      this.#tail.remove(link)
      this.#admit(link.value)
    }
  }

  async #load(disk: BufferDisk): Promise<void> {
    const { clock, tally } = this.#deps
    this.#isLoading = true
    for (let loaded = 0; loaded < this.#chunkBytes && !this.#isClosed; ) {
      const read = await disk.next()
      if (read === undefined) break
      const { entry, copy } = read
      if (entry.readAt < clock.now() - staleMs) {
        tally.note(dropOf(entry))
        disk.release(copy)
        continue
      }
      const held = newWaiting(entry, copy)
      loaded += held.bytes
      this.#enter(held)
      this.#admit(held)
    }
    this.#isLoading = false
    this.#moveOn()
  }

  #enter(entry: Waiting): void {
    this.#all.add(entry)
    this.#bytes += entry.bytes
  }

  #admit(entry: Waiting): void {
    entry.isInWindow = true
    this.#windowBytes += entry.bytes
    entry.ofOrder = this.#ready.push(entry)
  }

  #grow(entry: Waiting, bytes: number): void {
    entry.bytes += bytes
    this.#bytes += bytes
    if (entry.isInWindow) this.#windowBytes += bytes
  }

  #leaveIfDone(entry: Waiting): void {
    if (!entry.isHandled || entry.unsent > 0 || entry.isGone) return
    this.#leave(entry)
    if (entry.copy !== undefined) this.#deps.disk?.release(entry.copy)
    this.#moveOn()
  }

  #leave(entry: Waiting): void {
    entry.isGone = true
    this.#all.delete(entry)
    this.#ready.remove(entry.ofOrder)
    this.#tail.remove(entry.ofOrder)
    this.#unwritten.remove(entry.ofUnwritten)
    this.#grow(entry, -entry.bytes)
  }

  /** An entry was written: one that is done needs no copy, and one of the tail leaves memory. */
  #settle(entry: Waiting): void {
    const { disk } = this.#deps
    const { copy } = entry
    if (copy === undefined || disk === undefined) return
    this.#unwritten.remove(entry.ofUnwritten)
    if (entry.isGone) disk.release(copy)
    else if (!entry.isInWindow) {
      this.#leave(entry)
      disk.leave(copy, entry.dropClass)
    }
  }

  /** The oldest entry that can be given up: it is on no disk, and nothing came of it yet. */
  #victim(): Waiting | undefined {
    for (const entry of this.#unwritten.values()) {
      if (!entry.isTaken && !entry.isBeingWritten) return entry
    }
    return undefined
  }

  #giveUp(entry: Waiting): void {
    this.#deps.tally.note(dropOf(entry))
    this.#leave(entry)
  }
}

/** Returns an entry that is given up, for the tally. */
export function dropOf({ dropClass, readAt }: LogEntry): Drop {
  return { class: dropClass, count: 1, from: readAt, to: readAt }
}

/** Looks at all entries: an event that came of an older one was read with that. */
function oldestOf(entries: Iterable<Waiting>): number {
  let oldest = Infinity
  for (const { readAt } of entries) oldest = Math.min(oldest, readAt)
  return oldest
}
