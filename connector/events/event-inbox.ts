import type { Log } from '../../adapters/log/logger.ts'
import { DomainError } from '../../core/errors.ts'
import type { EngineEvent } from '../engine.ts'
import { type Timers, backoffMs, pause } from '../timers.ts'

/** What may wait for the store of domains; the frames of events stay in memory until they are looked at. */
const defaultLimit = 10_000

/** Handled events are cut off the front of the list in one go, not one by one. */
const cutAfter = 1_000

/** Events in the order in which they were read, one handled after another. */
export interface EventInbox {
  /** Takes an event; at once, and never failing. */
  add(event: EngineEvent): void
  /** Resolves when every event taken so far has been handled. */
  settled(): Promise<void>
  readonly waiting: number
  readonly counts: { readonly unreadable: number; readonly dropped: number }
}

/** What an inbox is made from. */
export interface InboxParts {
  /**
   * Handles one event. Rejects with `store_unavailable` when something is gone that will come back: then it is asked
   * again for the same event, after a growing wait. Any other failure is the event's own, which is skipped.
   */
  readonly handle: (event: EngineEvent) => Promise<void>
  readonly timers: Timers
  readonly random: () => number
  readonly log: Log
  readonly limit?: number | undefined
}

/** Makes an empty inbox. Above its limit new events are dropped and counted, which is logged once until it is empty. */
export function eventInbox({ handle, timers, random, log, limit = defaultLimit }: InboxParts): EventInbox {
  const counts = { unreadable: 0, dropped: 0 }
  let events: EngineEvent[] = []
  let next = 0
  let pumping: Promise<void> | undefined
  let isDropping = false

  /** Answers whether the event is done with. */
  const attempt = async (event: EngineEvent, failures: number): Promise<boolean> => {
    try {
      await handle(event)
    } catch (problem) {
      if (problem instanceof DomainError && problem.code === 'store_unavailable') {
        if (failures === 0)
          log.warn('events wait: what they need to know cannot be read', { waiting: events.length - next })
        return false
      }
      counts.unreadable += 1
      log.warn('an event was skipped', { event: event.name, reason: problem instanceof Error ? problem.name : '' })
    }
    return true
  }

  const pump = async () => {
    let failures = 0
    for (let event = events[next]; event !== undefined; event = events[next]) {
      if (await attempt(event, failures)) {
        failures = 0
        next += 1
      } else {
        failures += 1
        await pause(timers, backoffMs(failures, random))
      }
      if (next >= cutAfter) events = events.slice(next)
      if (next >= cutAfter) next = 0
    }
    events = []
    next = 0
    pumping = undefined
    isDropping = false
  }

  return {
    add: (event) => {
      if (events.length - next >= limit) {
        counts.dropped += 1
        if (!isDropping) log.error('events are dropped: too many wait to be looked at', undefined, { waiting: limit })
        isDropping = true
        return
      }
      events.push(event)
      pumping ??= Promise.resolve().then(pump)
    },
    settled: async () => pumping,
    get waiting() {
      return events.length - next
    },
    counts,
  }
}
