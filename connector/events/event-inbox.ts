import type { Log } from '../../adapters/log/logger.ts'
import { DomainError } from '../../core/errors.ts'
import { type EngineEvent, eventNameOf } from '../runtime/engine.ts'
import { Chain, type Link } from '../spool/chain.ts'
import { type DropClass, dropClassOf, dropOrder } from '../spool/drop-class.ts'
import { type Drop, dropTally } from '../spool/drop-tally.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { writeBehind } from '../../core/concurrency/write-behind.ts'
import { InTurn } from './in-turn.ts'
import { keptEvent } from './kept-event.ts'

/** The most events that may wait for the store of domains. */
export interface InboxLimits {
  readonly events: number
  readonly bytes: number
}

/**
 * The limits of each of so many inboxes: half a minute of a busy engine, shared among all, so that together they hold
 * no more than one; but no less than a burst of each, and than the largest event takes.
 */
export function inboxLimits(inboxes: number): InboxLimits {
  return { events: Math.max(500, 10_000 / inboxes), bytes: Math.max(2, 16 / inboxes) * 1024 * 1024 }
}

/** Events in the order in which they were read, one handled after another. */
export interface EventInbox {
  /** Takes an event; at once, and never failing. */
  add(event: EngineEvent): void
  /** Resolves when every event taken so far has been handled. */
  settled(): Promise<void>
  /** Gives up what still waits, which is counted as dropped. Answers how many events that are. */
  close(): number
  readonly waiting: number
  /** When the oldest was taken, epoch milliseconds; absent when none waits. */
  readonly oldestAt: number | undefined
  /** About what waits takes of memory. */
  readonly bytes: number
  readonly counts: {
    readonly unreadable: number
    /** By class: 1 that something is over, 2 of a call or the platform's own, 3 the rest. */
    readonly dropped: Readonly<Record<DropClass, number>>
  }
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
 * Makes an empty inbox. Above its limits the oldest event of the least class goes, which is counted, and logged once
 * until it is empty; one alone is never too much.
 */
export function eventInbox(parts: InboxDeps): EventInbox {
  const { handle, clock, timers, random, log, limits = inboxLimits(1), onDropped, onGivenUp, foresee } = parts
  const tally = dropTally({ clock, timers, log, reason: 'too many wait to be looked at', onDropped })
  const counts = { unreadable: 0, dropped: tally.counts }
  const all = new Chain<Held>()
  const byClass: Readonly<Record<DropClass, Chain<Held>>> = { 1: new Chain(), 2: new Chain(), 3: new Chain() }
  let bytes = 0
  let handled: Held | undefined
  let isWaiting = false

  /** Rejects when the event is to be handled again. */
  const attempt = async (event: EngineEvent): Promise<void> => {
    try {
      await handle(event)
    } catch (problem) {
      if (problem instanceof DomainError && problem.code === 'store_unavailable') throw problem
      counts.unreadable += 1
      log.warn('an event was skipped', { event: event.name, reason: problem instanceof Error ? problem.name : '' })
    }
  }

  const leave = (held: Held) => {
    all.remove(held.ofAll)
    byClass[held.dropClass].remove(held.ofClass)
    bytes -= held.bytes
  }

  /** Returns early after an outage, so that the next one is waited for as a new one. */
  const handleAll = async (): Promise<boolean> => {
    for (let held = all.first?.value; held !== undefined; held = all.first?.value) {
      handled = held
      await attempt(held.event)
      if (held.ofAll?.chain !== undefined) leave(held)
      if (!isWaiting) continue
      isWaiting = false
      return true
    }
    handled = undefined
    tally.over()
    return false
  }

  const onFailure = (_problem: unknown, failures: number) => {
    isWaiting = true
    if (failures === 1) log.warn('events wait: what they need to know cannot be read', { waiting: all.size })
  }
  const handling = writeBehind({ write: handleAll, onFailure, timers, random })

  /** Handles the next entry now; returns whether it was an event, which is lost. */
  const giveUp = (held: Held): boolean => {
    leave(held)
    const isLost = !(held.event instanceof InTurn)
    if (isLost) {
      tally.note(held.dropClass, held.takenAt)
      onGivenUp?.()
    } else held.event.run()
    return isLost
  }

  /** The oldest event of the least class, other than the one that is being handled. */
  const victim = (): Held | undefined => {
    for (const dropClass of dropOrder) {
      const first = byClass[dropClass].first
      const link = first?.value === handled ? first?.next : first
      if (link !== undefined) return link.value
    }
    return undefined
  }

  const enter = (event: EngineEvent) => {
    const dropClass = event instanceof InTurn ? 1 : dropClassOf({ name: eventNameOf(event), uuid: event.uuid })
    const takenAt = clock.now()
    const held: Held = { event, bytes: event.bytes, dropClass, takenAt, ofAll: undefined, ofClass: undefined }
    held.ofAll = all.push(held)
    held.ofClass = byClass[dropClass].push(held)
    bytes += held.bytes
  }

  return {
    add: (given) => {
      const event = keptEvent(given)
      // Facts found now are included.
      if (all.size > 0) foresee?.(event)
      enter(event)
      while (all.size > 1 && (all.size > limits.events || bytes > limits.bytes)) {
        const least = victim()
        if (least === undefined) break
        giveUp(least)
      }
      handling.wake()
    },
    settled: () => handling.settled(),
    close: () => {
      let lost = 0
      for (let held = all.first?.value; held !== undefined; held = all.first?.value) lost += giveUp(held) ? 1 : 0
      tally.flush()
      return lost
    },
    get waiting() {
      return all.size
    },
    get oldestAt() {
      return all.first?.value.takenAt
    },
    get bytes() {
      return bytes
    },
    counts,
  }
}
