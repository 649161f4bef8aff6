import type { Log } from '../../adapters/log/logger.ts'
import { textEvent } from '../../adapters/events/text-event.ts'
import { DomainError } from '../../core/errors.ts'
import type { EventSink } from '../../core/events/event-sink.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { type WriteBehind, writeBehind } from '../../core/concurrency/write-behind.ts'
import type { EngineEvent } from '../runtime/engine.ts'
import { BufferDisk, type SpoolLocation } from './buffer-disk.ts'
import { type Drop, type DropTally, dropTally } from './drops.ts'
import { EntryLog, type MemoryLimits, dropOf, usualMemory } from './entry-log.ts'
import { EventSender } from './event-sender.ts'
import type { HeardContent } from './log-entry.ts'
import { type Waiting, sizeOf, truncateEvent } from './waiting.ts'

/**
 * Milliseconds between batches that are not full: 40 batches a second for events, whose receivers wait for them, and 10
 * for CDRs, which are only searched later.
 */
const eventPaceMs = 25
const cdrPaceMs = 100

/** An event of an engine whose turn has come. */
export interface Turn {
  readonly event: EngineEvent
  readonly engine: string
  /** When it was read, epoch milliseconds. */
  readonly readAt: number
  /** Whether an earlier process read it. */
  readonly isLeft: boolean
  /**
   * Takes an event that comes of it. It waits here until the answer, which lets it go, was called and the queue has it.
   */
  readonly take: (event: PlatformEvent) => () => void
}

/** What becomes of the events of a buffer. */
export interface EventHandler {
  /**
   * Handles one event of an engine: calls `take` for all that comes of it before this resolves. Rejects with
   * `store_unavailable` when something is gone that will come back: then it is asked again for the same event, after a
   * growing wait. Any other failure is the event's own, which is skipped and counted as dropped.
   */
  readonly handle: (turn: Turn) => Promise<void>
  /** Given each event that has to wait, at once: what its turn will ask for can be asked for meanwhile. */
  readonly foresee?: ((event: EngineEvent) => void) | undefined
  /** Called when all that earlier processes left, as far as it was found, has been handled. */
  readonly onLeftHandled?: (() => void) | undefined
  /** Called with dropped events. */
  readonly onDropped?: ((drop: Drop) => void) | undefined
}

export interface EventBufferDeps extends Time {
  readonly sink: EventSink
  /** Takes what the index of CDRs reads; the same sink where absent. Neither waits for the other. */
  readonly cdrSink?: EventSink | undefined
  readonly log: Log
  readonly random: () => number
  /** Where events wait if memory has no room, and those that a killed process must not lose; nowhere if absent. */
  readonly place?: SpoolLocation | undefined
  readonly memory?: MemoryLimits | undefined
}

/** Something to be done once every event up to one has been handled. */
interface QueueBarrier {
  readonly after: number
  readonly run: () => void
}

/**
 * What the engines sent, in one order, until all that comes of it is in the queues. Events are handled one after
 * another when there is room for what comes of them; what must wait is in memory and on disk, within limits (see
 * `EntryLog`).
 */
export class EventBuffer {
  readonly #deps: EventBufferDeps
  readonly #tally: DropTally
  readonly #disk: BufferDisk | undefined
  readonly #log: EntryLog
  readonly #sender: EventSender
  readonly #cdrSender: EventSender
  readonly #handling: WriteBehind
  #handler: EventHandler | undefined
  #barriers: readonly QueueBarrier[] = []
  readonly #taken = { relayed: 0, cdrs: 0 }
  #unreadable = 0
  #isOutage = false
  /** Whether the last entry was of an earlier process. */
  #wasLeft = false
  #isClosed = false
  #idle: (() => void)[] = []

  constructor(deps: EventBufferDeps) {
    const { sink, cdrSink = sink, log, clock, timers, random, place, memory = usualMemory } = deps
    this.#deps = deps
    this.#tally = dropTally(log, (drop) => this.#handler?.onDropped?.(drop))
    this.#disk = place && new BufferDisk(place, { clock, timers, log, tally: this.#tally })
    this.#sender = this.#senderTo('event queue', sink, eventPaceMs)
    this.#cdrSender = this.#senderTo('CDR queue', cdrSink, cdrPaceMs)
    this.#handling = writeBehind({
      write: () => this.#handleAll(),
      onFailure: (_problem, failures) => this.#noteOutage(failures),
      timers,
      random,
    })
    this.#log = new EntryLog({
      clock,
      timers,
      disk: this.#disk,
      tally: this.#tally,
      memory,
      onMoved: () => this.#handling.wake(),
    })
  }

  /** Begins to handle events, those that an earlier process left first; until then all of them wait. */
  start(handler: EventHandler): void {
    this.#handler = handler
    this.#handling.wake()
  }

  /** Takes an event of an engine; at once, and never failing. */
  add(given: EngineEvent, engine: string): void {
    const event = truncateEvent(given)
    // Facts found now are included.
    if (!this.#log.isHandled) this.#handler?.foresee?.(event)
    this.#log.add({ engine, event }, this.#deps.clock.now())
  }

  /** What to wait for before more is read from an engine: a disk that is writing. `undefined` when there is room. */
  room(): Promise<void> | undefined {
    return this.#log.room()
  }

  /**
   * Takes an event of the platform, which was known at `readAt`, epoch milliseconds, now where absent; never failing.
   */
  tell(event: PlatformEvent, readAt: number = this.#deps.clock.now()): void {
    this.#log.add({ engine: '', own: textEvent(event) }, readAt)
  }

  /** Calls `run`, which must not throw, when every event that has come so far has been handled. */
  afterThese(run: () => void): void {
    this.#barriers = [...this.#barriers, { after: this.#log.newest, run }]
    this.#handling.wake()
  }

  async handled(): Promise<void> {
    await new Promise<void>((resolve) => this.afterThese(resolve))
  }

  drained(): Promise<void> {
    return this.#log.isEmpty ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve))
  }

  /**
   * Handles and sends no more, and puts what waits on disk. Answers how many events are lost, which are counted as
   * dropped.
   */
  close(): Promise<number> {
    this.#isClosed = true
    this.#sender.stop()
    this.#cdrSender.stop()
    return this.#log.close()
  }

  get waiting(): number {
    return this.#log.waiting
  }

  /** When the oldest event that waits was read, epoch milliseconds; absent when none waits. */
  get oldestAt(): number | undefined {
    return finite(this.#log.oldestAt)
  }

  /** The same of those that are on no disk. */
  get unwrittenAt(): number | undefined {
    return finite(this.#log.unwrittenAt)
  }

  get memoryBytes(): number {
    return this.#log.bytes
  }

  /**
   * Events since the start: that came of others for either queue, that a queue took, that were sent once more than
   * before, that could not be handled, and that were dropped, also by class: 1 the end of something, 2 of a call or the
   * platform's own, 3 the rest.
   */
  get counts() {
    const [events, cdrs, dropped] = [this.#sender.counts, this.#cdrSender.counts, this.#tally.counts]
    return {
      ...this.#taken,
      published: events.published + cdrs.published,
      repeated: events.repeated + cdrs.repeated,
      unreadable: this.#unreadable,
      dropped: dropped[1] + dropped[2] + dropped[3],
      droppedByClass: dropped,
    }
  }

  /**
   * The disk: events that are only there, bytes of all files, events that it should have taken and did not, that
   * earlier processes left, dropped ones that could not be read, and its refusals.
   */
  get spool() {
    const { unread: events = 0, bytes = 0, counts = { found: 0, damaged: 0, failures: 0 } } = this.#disk ?? {}
    return { events, bytes, skipped: this.#log.skipped, ...counts }
  }

  /** Returns early after an outage, so that the next one is waited for as a new one. */
  async #handleAll(): Promise<boolean> {
    const handler = this.#handler
    if (handler === undefined) return false
    for (;;) {
      const entry = this.#log.next
      this.#runBarriers(handler, entry?.number)
      if (entry === undefined || this.#isClosed) break
      entry.isTaken = true
      if (entry.content.own === undefined) await this.#attempt(handler, entry, entry.content)
      else this.#take(entry.content.own, entry, true)()
      this.#log.handled(entry)
      if (!this.#isOutage) continue
      this.#isOutage = false
      return true
    }
    this.#noteIdle()
    return false
  }

  /** Rejects when the entry is to be handled again. */
  async #attempt(handler: EventHandler, entry: Waiting, { event, engine }: HeardContent): Promise<void> {
    const { readAt, number } = entry
    const take: Turn['take'] = (given) => this.#take(given, entry)
    try {
      await handler.handle({ event, engine, readAt, isLeft: number === 0, take })
    } catch (problem) {
      if (problem instanceof DomainError && problem.code === 'store_unavailable') throw problem
      this.#unreadable += 1
      this.#tally.lost(dropOf(entry))
      const reason = problem instanceof Error ? problem.name : ''
      this.#deps.log.warn('an event was skipped', { event: event.name, reason })
    }
  }

  #take(given: PlatformEvent, entry: Waiting, isOwn = false): () => void {
    const event = textEvent(given)
    const bytes = sizeOf(event)
    // The text of an event of the platform is the entry's.
    this.#log.noteUnsent(entry, isOwn ? 0 : bytes)
    const isCdr = event.reader === 'cdr'
    this.#taken[isCdr ? 'cdrs' : 'relayed'] += 1
    const sender = isCdr ? this.#cdrSender : this.#sender
    return () => sender.add({ event, bytes, entry })
  }

  #runBarriers(handler: EventHandler, next: number | undefined): void {
    const isOver = next !== undefined || this.#log.isHandled
    if (this.#wasLeft && next !== 0 && isOver) handler.onLeftHandled?.()
    if (isOver) this.#wasLeft = next === 0
    const isPassed = ({ after }: QueueBarrier) => (next === undefined ? isOver : after < next)
    const passed = this.#barriers.filter(isPassed)
    if (passed.length === 0) return
    this.#barriers = this.#barriers.filter((barrier) => !passed.includes(barrier))
    for (const { run } of passed) run()
  }

  #noteOutage(failures: number): void {
    this.#isOutage = true
    if (failures > 1) return
    this.#deps.log.warn('events wait: what they need to know cannot be read', { waiting: this.waiting })
  }

  #noteIdle(): void {
    if (!this.#log.isEmpty) return
    this.#tally.over()
    for (const resolve of this.#idle) resolve()
    this.#idle = []
  }

  #senderTo(queue: string, sink: EventSink, paceMs: number): EventSender {
    return new EventSender({
      ...this.#deps,
      queue,
      paceMs,
      sink,
      waiting: () => this.waiting,
      onTaken: ({ entry }) => this.#log.noteSent(entry),
      onSettled: () => this.#noteIdle(),
    })
  }
}

function finite(moment: number): number | undefined {
  return moment === Infinity ? undefined : moment
}
