import type { Log } from '../../adapters/log/logger.ts'
import { EVENT_BYTES, fitted } from '../../adapters/events/fitted-event.ts'
import type { EventSink } from '../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { DropClass } from '../spool/drop-class.ts'
import { type Drop, dropTally } from '../spool/drop-tally.ts'
import { EventBacklog, type MemoryLimits, usualMemory } from '../spool/event-backlog.ts'
import { DiskSpool } from '../spool/disk-spool.ts'
import { type SpoolPlace, noSpool } from '../spool/spool.ts'
import { type Waiting, sizeOf } from '../spool/waiting-events.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { groupSender } from './group-sender.ts'

/**
 * Milliseconds between batches that are not full: 40 batches a second for events, whose receivers wait for them, and 10 for CDRs,
 * which are only searched later.
 */
const eventPaceMs = 25
const cdrPaceMs = 100

/** Events on their way to the queue. */
export interface EventOutbox {
  /**
   * Takes an event that was read at `readAt`, epoch milliseconds, now where absent; `false` when there is no room for it,
   * which is counted.
   */
  add(event: PlatformEvent, readAt?: number): boolean
  /** Resolves when nothing waits any more. */
  drained(): Promise<void>
  /** Sends no more, and puts what waits on disk. Answers how many events are lost, which are counted as dropped. */
  close(): Promise<number>
  /** Whether it can take more than a burst before anything must be given up. */
  readonly hasRoom: boolean
  readonly waiting: number
  /** When the oldest event that waits was read, epoch milliseconds; absent when none waits. */
  readonly oldestAt: number | undefined
  /** The same of those that are on no disk. */
  readonly unwrittenAt: number | undefined
  readonly counts: {
    readonly published: number
    readonly dropped: number
    /** The dropped ones by class: 1 the end of something, 2 of a call or the platform's own, 3 the rest. */
    readonly droppedByClass: Readonly<Record<DropClass, number>>
    /** Events that were sent once more than before. */
    readonly repeated: number
  }
  readonly spool: {
    /** Events that are only on disk, and bytes of all that is there. */
    readonly events: number
    readonly bytes: number
    /** Events that should have been on disk and were not. */
    readonly skipped: number
    /** Events that earlier processes left. */
    readonly found: number
    /** The dropped ones whose lines could not be read. */
    readonly damaged: number
    /** Times that the disk refused something. */
    readonly failures: number
  }
  /** Bytes of events in memory. */
  readonly memoryBytes: number
}

export interface OutboxDeps extends Time {
  readonly sink: EventSink
  /** Takes what the index of CDRs reads; the same sink where absent. Neither waits for the other. */
  readonly cdrSink?: EventSink | undefined
  readonly log: Log
  /** A number from 0 to 1, for the waits between attempts. */
  readonly random: () => number
  /** Where events wait that memory has no room for, and those that a killed process must not lose; nowhere if absent. */
  readonly place?: SpoolPlace | undefined
  readonly memory?: MemoryLimits | undefined
  /** Called with dropped events, at most once a second and class. */
  readonly onDropped?: ((drop: Drop) => void) | undefined
}

/**
 * Hands events to the queue, those of one call or domain in order (see `groupSender`). What waits is in memory and on
 * disk, within limits (see `EventBacklog`).
 */
export function eventOutbox(parts: OutboxDeps): EventOutbox {
  const { sink, cdrSink = sink, log, random, clock, timers, place, memory = usualMemory, onDropped } = parts
  const tally = dropTally({ clock, timers, log, reason: 'too many wait for the queue', onDropped })
  const spool = place === undefined ? noSpool : new DiskSpool(place, { clock, timers, log, tally })
  let idle: (() => void)[] = []

  const backlog = new EventBacklog({
    spool,
    tally,
    memory,
    clock,
    timers,
    onReady: (event) => senderOf(event).add(event),
    onGone: (event) => senderOf(event).remove(event),
    onMoved: () => noteIdle(),
  })

  const noteIdle = () => {
    if (!backlog.isEmpty) return
    tally.over()
    for (const resolve of idle) resolve()
    idle = []
  }

  const senderTo = (queue: string, to: EventSink, paceMs: number) =>
    groupSender({
      queue,
      paceMs,
      sink: to,
      log,
      random,
      clock,
      timers,
      waiting: () => backlog.waiting,
      onTaken: (event) => backlog.done(event),
      onSettled: () => noteIdle(),
    })
  const sender = senderTo('event queue', sink, eventPaceMs)
  const cdrSender = senderTo('CDR queue', cdrSink, cdrPaceMs)
  const senderOf = ({ event }: Waiting) => (event.reader === 'cdr' ? cdrSender : sender)

  return {
    add: (event, readAt = clock.now()) => {
      const bytes = sizeOf(event)
      if (bytes <= EVENT_BYTES) return backlog.add(event, bytes, readAt)
      // Memory and disk hold no more of it than the queue takes.
      const small = fitted(event)
      return backlog.add(small, sizeOf(small), readAt)
    },
    drained: () => (backlog.isEmpty ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
    close: () => {
      sender.stop()
      cdrSender.stop()
      return backlog.close()
    },
    get hasRoom() {
      // Half of what waits to be written to the disk.
      return backlog.bytes <= (memory.window + memory.all) / 2
    },
    get waiting() {
      return backlog.waiting
    },
    get oldestAt() {
      return backlog.oldestAt
    },
    get unwrittenAt() {
      return backlog.unwrittenAt
    },
    counts: {
      get published() {
        return sender.counts.published + cdrSender.counts.published
      },
      get repeated() {
        return sender.counts.repeated + cdrSender.counts.repeated
      },
      get dropped() {
        return tally.counts[1] + tally.counts[2] + tally.counts[3]
      },
      droppedByClass: tally.counts,
    },
    spool: {
      get events() {
        return spool.unread
      },
      get bytes() {
        return spool.bytes
      },
      get skipped() {
        return backlog.skipped
      },
      get found() {
        return spool.counts.found
      },
      get damaged() {
        return spool.counts.damaged
      },
      get failures() {
        return spool.counts.failures
      },
    },
    get memoryBytes() {
      return backlog.bytes
    },
  }
}
