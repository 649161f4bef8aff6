import { type TextEvent, textEvent } from '../../adapters/events/text-event.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import { Committer } from './committer.ts'
import type { DropTally } from './drop-tally.ts'
import type { Spool } from './spool.ts'
import { type Waiting, WaitingEvents } from './waiting-events.ts'

/** How much of what waits may be in memory, in bytes as {@link Waiting} counts them. */
export interface MemoryLimits {
  /** The number of events that can be sent. */
  readonly window: number
  /** The number of these and of those that wait to be written to the disk. */
  readonly all: number
}

/** 32 MiB hold three to ten thousand events, seconds of a busy engine; as much again is half written to the disk. */
export const usualMemory: MemoryLimits = { window: 32 * 1024 * 1024, all: 48 * 1024 * 1024 }

/** Read from the disk at a time. */
const chunkBytes = 1024 * 1024

/** How long new events wait for what earlier processes left to be found; it is looked for to the end all the same. */
const openMs = 5_000

/** The queue drops messages of this age, so an event that waited on a disk for longer is not news either. */
const staleMs = 4 * 24 * 3_600_000

export interface BacklogDeps extends Time {
  readonly spool: Spool
  readonly tally: DropTally
  readonly memory: MemoryLimits
  /** Given each event when it can be sent, in order. */
  readonly onReady: (event: Waiting) => void
  /** Called with an event that was given up after it could be sent. */
  readonly onGone: (event: Waiting) => void
  /** Called when something may have become empty by itself. */
  readonly onMoved: () => void
}

/**
 * Events in the order in which they were taken, in memory and on disk. The oldest are in memory and can be sent (the
 * window). When it is full, newer ones wait on disk, and the newest, for a moment, in memory to be written there (the
 * tail). What the queue has not taken within half a second is on disk besides. When there is no room for the tail either,
 * the oldest event of the least important class goes.
 */
export class EventBacklog {
  readonly #deps: BacklogDeps
  readonly #events = new WaitingEvents()
  readonly #writer: Committer
  #isOpen: boolean
  #isClosed = false
  #isLoading = false
  #givenUp = 0

  constructor(deps: BacklogDeps) {
    const { spool } = deps
    this.#deps = deps
    this.#writer = new Committer({
      ...deps,
      events: this.#events,
      onWritten: () => this.#refill(),
      onOvertaken: (event) => this.#giveUp(event),
    })
    this.#isOpen = !spool.isThere
    if (spool.isThere) void this.#start()
  }

  /** Whether nothing waits, in memory or on disk, also of earlier processes as far as the disk shows it. */
  get isEmpty(): boolean {
    return this.#isOpen && !this.#deps.spool.isSearching && !this.#isLoading && this.waiting === 0
  }

  get waiting(): number {
    return this.#events.size + this.#deps.spool.unread
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#events.bytes
  }

  /** When the oldest event that waits was read, epoch milliseconds. */
  get oldestAt(): number | undefined {
    const times = [this.#events.oldestAt ?? [], this.#deps.spool.oldestAt ?? []].flat()
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** When the oldest event that is on no disk was read, epoch milliseconds. */
  get unwrittenAt(): number | undefined {
    return this.#events.unwrittenAt
  }

  /** Events that should have been on disk and were not, since the disk did not take them. */
  get skipped(): number {
    return this.#writer.skipped
  }

  /** Takes an event that was read at `readAt`, epoch milliseconds; `false` when there was no room for it. */
  add(event: TextEvent, readAt: number): boolean {
    const held = this.#events.enter(event, { takenAt: readAt })
    if (!this.#makeRoomFor(held)) return false
    this.#refill()
    this.#writer.wake()
    return true
  }

  /** Lets go of an event that was sent. */
  done(event: Waiting): void {
    if (this.#events.leave(event) && event.copy !== undefined) this.#deps.spool.release(event.copy)
    this.#refill()
  }

  /** Writes what is only in memory to the disk. Returns how many events are lost, which are counted as dropped. */
  async close(): Promise<number> {
    this.#isClosed = true
    const before = this.#givenUp
    await this.#writer.finish()
    const { unwritten } = this.#events
    for (let link = unwritten.first; link !== undefined; link = unwritten.first) this.#giveUp(link.value)
    this.#deps.tally.flush()
    await this.#deps.spool.close()
    return this.#givenUp - before
  }

  async #start(): Promise<void> {
    const { spool, timers } = this.#deps
    const over = new AbortController()
    const looked = spool.open(() => this.#moveOn())
    await Promise.race([looked, pause(timers, openMs, over.signal)])
    over.abort()
    this.#isOpen = true
    this.#moveOn()
    await looked
    this.#moveOn()
  }

  #moveOn(): void {
    this.#refill()
    this.#deps.onMoved()
  }

  /** Takes events into the window, from the disk first. */
  #refill(): void {
    if (!this.#isOpen || this.#isLoading || this.#isClosed) return
    const { spool, memory } = this.#deps
    const { tail, windowBytes, bytes } = this.#events
    if (spool.unread > 0) {
      const mayLoad = windowBytes === 0 || bytes + chunkBytes <= memory.all
      if (windowBytes <= memory.window / 2 && mayLoad) void this.#load()
      return
    }
    for (let link = tail.first; link !== undefined; link = tail.first) {
      const used = this.#events.windowBytes
      if (used > 0 && used + link.value.bytes > memory.window) break
      this.#open(link.value)
    }
  }

  #open(held: Waiting): void {
    this.#events.open(held)
    this.#deps.onReady(held)
  }

  async #load(): Promise<void> {
    const { spool, clock, tally } = this.#deps
    this.#isLoading = true
    for (let loaded = 0; loaded < chunkBytes; ) {
      if (this.#isClosed) break
      const read = await spool.next()
      if (read === undefined) break
      if (read.takenAt < clock.now() - staleMs) {
        tally.note(read.dropClass, read.takenAt)
        spool.release(read.copy)
        continue
      }
      const held = this.#events.enter(textEvent(read.event), read)
      loaded += held.bytes
      this.#open(held)
    }
    this.#isLoading = false
    this.#moveOn()
  }

  /** Gives up what is less important than an event that was just taken, or older; `false` when that is itself. */
  #makeRoomFor(held: Waiting): boolean {
    while (this.#events.bytes > this.#deps.memory.all) {
      const victim = this.#events.victim(held.dropClass) ?? held
      this.#giveUp(victim)
      if (victim === held) return false
    }
    return true
  }

  #giveUp(held: Waiting): void {
    const { tally, spool, onGone } = this.#deps
    this.#givenUp += 1
    tally.note(held.dropClass, held.takenAt)
    if (held.copy !== undefined) spool.erase(held.copy)
    this.#events.leave(held)
    if (held.isInWindow) onGone(held)
  }
}
