import type { Log } from '../../adapters/log/logger.ts'
import { DomainError } from '../../core/errors.ts'
import { type EngineEvent, eventNameOf } from '../runtime/engine.ts'
import { Chain, type Link } from '../spool/chain.ts'
import { type DropClass, dropClassOf, dropOrder } from '../spool/drop-class.ts'
import { type Drop, type DropTally, dropTally } from '../spool/drop-tally.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { type WriteBehind, writeBehind } from '../../core/concurrency/write-behind.ts'
import { InTurn } from './in-turn.ts'
import { keptEvent } from './kept-event.ts'

/** The most events that may wait for the store of domains. */
export interface InboxLimits {
  readonly events: number
  readonly bytes: number
}

/**
 * Returns the limits of each inbox if there are this many: half a minute of a busy engine, shared among all, so that
 * together they hold no more than a single one would. Each holds at least a burst of events, and the largest event.
 */
export function inboxLimits(inboxes: number): InboxLimits {
  return { events: Math.max(500, 10_000 / inboxes), bytes: Math.max(2, 16 / inboxes) * 1024 * 1024 }
}

export interface InboxDeps extends Time {
  /**
   * Handles one event. Rejects with `store_unavailable` when something is gone that will come back: then it is asked
   * again for the same event, after a growing wait. Any other failure is the event's own, which is skipped.
   */
  readonly handle: (event: EngineEvent) => Promise<void>
  /** Given each event that has to wait, at once: what its turn will ask for can be asked for meanwhile. */
  readonly foresee?: ((event: EngineEvent) => void) | undefined
  readonly random: () => number
  readonly log: Log
  readonly limits?: InboxLimits | undefined
  /** Called for each event that is given up, at once. */
  readonly onGivenUp?: (() => void) | undefined
  /** Called with dropped events, at most once a second and class. */
  readonly onDropped?: ((drop: Drop) => void) | undefined
}

interface Held {
  readonly event: EngineEvent
  readonly bytes: number
  readonly dropClass: DropClass
  readonly takenAt: number
  ofAll: Link<Held> | undefined
  ofClass: Link<Held> | undefined
}

/**
 * Events in the order in which they were read, one handled after another. Above its limits the oldest event of the least
 * class goes, which is counted, and logged once until the inbox is empty; one alone is never too much.
 */
export class EventInbox {
  /** Dropped events by class: 1 that something is over, 2 of a call or the platform's own, 3 the rest. */
  readonly counts: { unreadable: number; readonly dropped: Readonly<Record<DropClass, number>> }
  readonly #deps: InboxDeps
  readonly #limits: InboxLimits
  readonly #tally: DropTally
  readonly #handling: WriteBehind
  readonly #all = new Chain<Held>()
  readonly #byClass: Readonly<Record<DropClass, Chain<Held>>> = { 1: new Chain(), 2: new Chain(), 3: new Chain() }
  #bytes = 0
  #handled: Held | undefined
  #isWaiting = false

  constructor(deps: InboxDeps) {
    const { clock, timers, random, log, limits = inboxLimits(1), onDropped } = deps
    this.#deps = deps
    this.#limits = limits
    this.#tally = dropTally({ clock, timers, log, reason: 'too many wait to be looked at', onDropped })
    this.counts = { unreadable: 0, dropped: this.#tally.counts }
    this.#handling = writeBehind({
      write: () => this.#handleAll(),
      onFailure: (_problem, failures) => this.#noteOutage(failures),
      timers,
      random,
    })
  }

  get waiting(): number {
    return this.#all.size
  }

  /** When the oldest was taken, epoch milliseconds; absent when none waits. */
  get oldestAt(): number | undefined {
    return this.#all.first?.value.takenAt
  }

  /** About what waits takes of memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** Takes an event; at once, and never failing. */
  add(given: EngineEvent): void {
    const event = keptEvent(given)
    // Facts found now are included.
    if (this.#all.size > 0) this.#deps.foresee?.(event)
    this.#enter(event)
    while (this.#all.size > 1 && (this.#all.size > this.#limits.events || this.#bytes > this.#limits.bytes)) {
      const least = this.#victim()
      if (least === undefined) break
      this.#giveUp(least)
    }
    this.#handling.wake()
  }

  /** Resolves when every event taken so far has been handled. */
  settled(): Promise<void> {
    return this.#handling.settled()
  }

  /** Gives up what still waits, which is counted as dropped. Answers how many events that are. */
  close(): number {
    let lost = 0
    for (let held = this.#all.first?.value; held !== undefined; held = this.#all.first?.value) {
      lost += this.#giveUp(held) ? 1 : 0
    }
    this.#tally.flush()
    return lost
  }

  /** Returns early after an outage, so that the next one is waited for as a new one. */
  async #handleAll(): Promise<boolean> {
    for (let held = this.#all.first?.value; held !== undefined; held = this.#all.first?.value) {
      this.#handled = held
      await this.#attempt(held.event)
      if (held.ofAll?.chain !== undefined) this.#leave(held)
      if (!this.#isWaiting) continue
      this.#isWaiting = false
      return true
    }
    this.#handled = undefined
    this.#tally.over()
    return false
  }

  /** Rejects when the event is to be handled again. */
  async #attempt(event: EngineEvent): Promise<void> {
    try {
      await this.#deps.handle(event)
    } catch (problem) {
      if (problem instanceof DomainError && problem.code === 'store_unavailable') throw problem
      this.counts.unreadable += 1
      const reason = problem instanceof Error ? problem.name : ''
      this.#deps.log.warn('an event was skipped', { event: event.name, reason })
    }
  }

  #noteOutage(failures: number): void {
    this.#isWaiting = true
    if (failures > 1) return
    this.#deps.log.warn('events wait: what they need to know cannot be read', { waiting: this.#all.size })
  }

  #enter(event: EngineEvent): void {
    const dropClass = event instanceof InTurn ? 1 : dropClassOf({ name: eventNameOf(event), uuid: event.uuid })
    const takenAt = this.#deps.clock.now()
    const held: Held = { event, bytes: event.bytes, dropClass, takenAt, ofAll: undefined, ofClass: undefined }
    held.ofAll = this.#all.push(held)
    held.ofClass = this.#byClass[dropClass].push(held)
    this.#bytes += held.bytes
  }

  #leave(held: Held): void {
    this.#all.remove(held.ofAll)
    this.#byClass[held.dropClass].remove(held.ofClass)
    this.#bytes -= held.bytes
  }

  /** The oldest event of the least class, other than the one that is being handled. */
  #victim(): Held | undefined {
    for (const dropClass of dropOrder) {
      const first = this.#byClass[dropClass].first
      const link = first?.value === this.#handled ? first?.next : first
      if (link !== undefined) return link.value
    }
    return undefined
  }

  /** Handles the next entry now; returns whether it was an event, which is lost. */
  #giveUp(held: Held): boolean {
    this.#leave(held)
    if (held.event instanceof InTurn) {
      held.event.run()
      return false
    }
    this.#tally.note(held.dropClass, held.takenAt)
    this.#deps.onGivenUp?.()
    return true
  }
}
