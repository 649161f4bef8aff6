import type { Log } from '../../adapters/log/logger.ts'
import { textEvent } from '../../adapters/events/text-event.ts'
import type { EventSink } from '../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { DropClass } from '../spool/drop-class.ts'
import { type Drop, type DropTally, dropTally } from '../spool/drop-tally.ts'
import { EventBacklog, type MemoryLimits, usualMemory } from '../spool/event-backlog.ts'
import { DiskSpool } from '../spool/disk-spool.ts'
import { type Spool, type SpoolPlace, noSpool } from '../spool/spool.ts'
import type { Waiting } from '../spool/waiting-events.ts'
import type { Clock } from '../../core/time.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { GroupSender } from './group-sender.ts'

/**
 * Milliseconds between batches that are not full: 40 batches a second for events, whose receivers wait for them, and 10 for CDRs,
 * which are only searched later.
 */
const eventPaceMs = 25
const cdrPaceMs = 100

/** Counts of events since the start. */
export interface OutboxCounts {
  readonly published: number
  readonly dropped: number
  /** The dropped ones by class: 1 the end of something, 2 of a call or the platform's own, 3 the rest. */
  readonly droppedByClass: Readonly<Record<DropClass, number>>
  /** Events that were sent once more than before. */
  readonly repeated: number
}

/** The state of the disk on which events wait. */
export interface SpoolCounts {
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
 * Events on their way to the queue. Those of one call or domain are handed over in order (see `GroupSender`). What waits
 * is in memory and on disk, within limits (see `EventBacklog`).
 */
export class EventOutbox {
  readonly #clock: Clock
  readonly #memory: MemoryLimits
  readonly #tally: DropTally
  readonly #spool: Spool
  readonly #backlog: EventBacklog
  readonly #sender: GroupSender
  readonly #cdrSender: GroupSender
  #idle: (() => void)[] = []

  constructor(deps: OutboxDeps) {
    const { sink, cdrSink = sink, log, clock, timers, place, memory = usualMemory, onDropped } = deps
    this.#clock = clock
    this.#memory = memory
    this.#tally = dropTally({ clock, timers, log, reason: 'too many wait for the queue', onDropped })
    this.#spool = place === undefined ? noSpool : new DiskSpool(place, { clock, timers, log, tally: this.#tally })
    this.#sender = this.#senderTo('event queue', deps, sink, eventPaceMs)
    this.#cdrSender = this.#senderTo('CDR queue', deps, cdrSink, cdrPaceMs)
    this.#backlog = new EventBacklog({
      spool: this.#spool,
      tally: this.#tally,
      memory,
      clock,
      timers,
      onReady: (event) => this.#senderOf(event).add(event),
      onGone: (event) => this.#senderOf(event).remove(event),
      onMoved: () => this.#noteIdle(),
    })
  }

  /**
   * Takes an event that was read at `readAt`, epoch milliseconds, now where absent; `false` when there is no room for it,
   * which is counted.
   */
  add(event: PlatformEvent, readAt: number = this.#clock.now()): boolean {
    // Memory and disk hold no more of it than the queue takes.
    return this.#backlog.add(textEvent(event), readAt)
  }

  /** Resolves when nothing waits any more. */
  drained(): Promise<void> {
    return this.#backlog.isEmpty ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve))
  }

  /** Sends no more, and puts what waits on disk. Answers how many events are lost, which are counted as dropped. */
  close(): Promise<number> {
    this.#sender.stop()
    this.#cdrSender.stop()
    return this.#backlog.close()
  }

  /** Whether it can take more than a burst before anything must be given up. */
  get hasRoom(): boolean {
    // Half of what waits to be written to the disk.
    return this.#backlog.bytes <= (this.#memory.window + this.#memory.all) / 2
  }

  get waiting(): number {
    return this.#backlog.waiting
  }

  /** When the oldest event that waits was read, epoch milliseconds; absent when none waits. */
  get oldestAt(): number | undefined {
    return this.#backlog.oldestAt
  }

  /** The same of those that are on no disk. */
  get unwrittenAt(): number | undefined {
    return this.#backlog.unwrittenAt
  }

  /** Bytes of events in memory. */
  get memoryBytes(): number {
    return this.#backlog.bytes
  }

  get counts(): OutboxCounts {
    const [events, cdrs, dropped] = [this.#sender.counts, this.#cdrSender.counts, this.#tally.counts]
    return {
      published: events.published + cdrs.published,
      repeated: events.repeated + cdrs.repeated,
      dropped: dropped[1] + dropped[2] + dropped[3],
      droppedByClass: dropped,
    }
  }

  get spool(): SpoolCounts {
    const { unread: events, bytes, counts } = this.#spool
    return { events, bytes, skipped: this.#backlog.skipped, ...counts }
  }

  #noteIdle(): void {
    if (!this.#backlog.isEmpty) return
    this.#tally.over()
    for (const resolve of this.#idle) resolve()
    this.#idle = []
  }

  #senderTo(queue: string, { log, random, clock, timers }: OutboxDeps, sink: EventSink, paceMs: number): GroupSender {
    return new GroupSender({
      queue,
      paceMs,
      sink,
      log,
      random,
      clock,
      timers,
      waiting: () => this.#backlog.waiting,
      onTaken: (event) => this.#backlog.done(event),
      onSettled: () => this.#noteIdle(),
    })
  }

  #senderOf({ event }: Waiting): GroupSender {
    return event.reader === 'cdr' ? this.#cdrSender : this.#sender
  }
}
