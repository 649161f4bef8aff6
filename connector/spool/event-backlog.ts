import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import { committer } from './committer.ts'
import { dropClassOf } from './drop-class.ts'
import type { DropTally } from './drop-tally.ts'
import type { Spool } from './spool.ts'
import { type Waiting, WaitingEvents } from './waiting-events.ts'

/** How much of what waits may be in memory, in bytes as {@link Waiting} counts them. */
export interface MemoryLimits {
  /** Of events that can be sent. */
  readonly window: number
  /** Of these and of those that wait to be written to the disk. */
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

/** Events in the order in which they were taken, in memory and on disk. */
export interface EventBacklog {
  /**
   * Takes an event of so many bytes (`sizeOf`) that was read at `readAt`, epoch milliseconds; `false` when there was no
   * room for it.
   */
  add(event: PlatformEvent, bytes: number, readAt: number): boolean
  /** Lets go of an event that was sent. */
  done(event: Waiting): void
  /** Writes what is only in memory to the disk. Answers how many events are lost, which are counted as dropped. */
  close(): Promise<number>
  /** Whether nothing waits, in memory or on disk, also of earlier processes as far as the disk shows it. */
  readonly isEmpty: boolean
  readonly waiting: number
  /** Bytes in memory. */
  readonly bytes: number
  /** When the oldest event that waits was read, epoch milliseconds. */
  readonly oldestAt: number | undefined
  /** When the oldest event that is on no disk was read, epoch milliseconds. */
  readonly unwrittenAt: number | undefined
  /** Events that should have been on disk and were not, since the disk did not take them. */
  readonly skipped: number
}

/** What a backlog is made from. */
export interface BacklogParts extends Time {
  readonly spool: Spool
  readonly tally: DropTally
  readonly memory: MemoryLimits
  /** Given each event when it can be sent, in order. */
  readonly onReady: (event: Waiting) => void
  /** Told of an event that was given up after it could be sent. */
  readonly onGone: (event: Waiting) => void
  /** Told when something may have become empty by itself. */
  readonly onMoved: () => void
}

/**
 * Makes a backlog. The oldest events are in memory and can be sent (the window). When it is full, newer ones wait on
 * disk, and the newest, for a moment, in memory to be written there (the tail). What the queue has not taken within
 * half a second is on disk besides. When there is no room for the tail either, the oldest event of
 * the least class goes.
 */
export function eventBacklog(parts: BacklogParts): EventBacklog {
  const { spool, tally, memory, clock, timers, onReady, onGone, onMoved } = parts
  const events = new WaitingEvents()
  let lastNumber = 0
  let isOpen = !spool.isThere
  let isLooking = spool.isThere
  let isClosed = false
  let isLoading = false

  const hasRoom = (held: Waiting) => events.windowBytes === 0 || events.windowBytes + held.bytes <= memory.window

  const open = (held: Waiting) => {
    events.open(held)
    onReady(held)
  }

  /** Takes events into the window, from the disk first. */
  const refill = () => {
    if (!isOpen || isLoading || isClosed) return
    if (spool.unread > 0) {
      if (events.windowBytes <= memory.window / 2 && mayLoad()) void load()
      return
    }
    for (let link = events.tail.first; link !== undefined; link = events.tail.first) {
      if (!hasRoom(link.value)) break
      open(link.value)
    }
  }

  const moveOn = () => {
    refill()
    onMoved()
  }

  const mayLoad = () => events.windowBytes === 0 || events.bytes + chunkBytes <= memory.all

  const load = async () => {
    isLoading = true
    for (let loaded = 0; loaded < chunkBytes; ) {
      if (isClosed) break
      const read = await spool.next()
      if (read === undefined) break
      if (read.takenAt < clock.now() - staleMs) {
        tally.note(dropClassOf(read.event), read.takenAt)
        spool.release(read.copy)
        continue
      }
      const held = events.enter(read.event, read)
      loaded += held.bytes
      open(held)
    }
    isLoading = false
    moveOn()
  }

  const giveUp = (held: Waiting) => {
    tally.note(held.dropClass, held.takenAt)
    if (held.copy !== undefined) spool.erase(held.copy)
    events.leave(held)
    if (held.isInWindow) onGone(held)
  }

  const forget = (held: Waiting) => {
    if (events.leave(held) && held.copy !== undefined) spool.release(held.copy)
  }

  /** Gives up what is less important than an event that was just taken, or older; `false` when that is itself. */
  const makeRoomFor = (held: Waiting): boolean => {
    while (events.bytes > memory.all) {
      const victim = events.victim(held.dropClass) ?? held
      giveUp(victim)
      if (victim === held) return false
    }
    return true
  }

  const writer = committer({ events, spool, clock, timers, onWritten: () => refill() })

  const start = async () => {
    const over = new AbortController()
    const looked = spool.open(moveOn)
    await Promise.race([looked, pause(timers, openMs, over.signal)])
    over.abort()
    isOpen = true
    moveOn()
    await looked
    isLooking = false
    moveOn()
  }
  if (spool.isThere) void start()

  return {
    add: (event, bytes, readAt) => {
      lastNumber += 1
      const held = events.enter(event, { number: lastNumber, takenAt: readAt, bytes })
      if (!makeRoomFor(held)) return false
      refill()
      writer.wake()
      return true
    },
    done: (event) => {
      forget(event)
      refill()
    },
    close: async () => {
      isClosed = true
      await writer.finish()
      const lost = events.unwritten.size
      for (let link = events.unwritten.first; link !== undefined; link = events.unwritten.first) giveUp(link.value)
      tally.flush()
      await spool.close()
      return lost
    },
    get isEmpty() {
      return isOpen && !isLooking && !isLoading && events.size === 0 && spool.unread === 0
    },
    get waiting() {
      return events.size + spool.unread
    },
    get bytes() {
      return events.bytes
    },
    get oldestAt() {
      const times = [events.oldestAt ?? [], spool.oldestAt ?? []].flat()
      return times.length === 0 ? undefined : Math.min(...times)
    },
    get unwrittenAt() {
      return events.unwrittenAt
    },
    get skipped() {
      return writer.skipped
    },
  }
}
