import type { Log } from '../../adapters/log/logger.ts'
import { EVENT_BYTES, fitted } from '../../adapters/sqs/fitted-event.ts'
import type { PlatformEvent } from '../../core/model.ts'
import type { EventSink } from '../../core/ports.ts'
import type { DropClass } from '../spool/drop-class.ts'
import { type Drop, dropTally } from '../spool/drop-tally.ts'
import { type MemoryLimits, eventBacklog, usualMemory } from '../spool/event-backlog.ts'
import { noSpool } from '../spool/no-spool.ts'
import { type SpoolPlace, openSpool } from '../spool/spool.ts'
import { sizeOf } from '../spool/waiting-events.ts'
import { type Time, backoffMs } from '../timers.ts'
import { EventGroups, type Sending } from './event-groups.ts'

/** Calls to the queue at a time: one hides another's round trip, more would only make the queue throttle. */
const parallelBatches = 4

/** While many wait there are more, so that what an outage left is gone within a minute; and what many are. */
const parallelCatchingUp = 12
const many = 1_000

/** Events on their way to the queue. */
export interface EventOutbox {
  /** Takes an event; `false` when there is no room for it, which is counted. */
  add(event: PlatformEvent): boolean
  /** Resolves when nothing waits any more. */
  drained(): Promise<void>
  /** Sends no more, and puts what waits on disk. Answers how many events are lost, which are counted as dropped. */
  close(): Promise<number>
  readonly waiting: number
  /** When the event that waits longest was taken, epoch milliseconds; absent when none waits. */
  readonly oldestAt: number | undefined
  readonly counts: {
    readonly published: number
    readonly dropped: number
    /** Of these, by class: 1 that something is over, 2 of a call or the platform's own, 3 the rest. */
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
    /** Lines of its files that could not be read. */
    readonly damaged: number
    /** Times that the disk refused something. */
    readonly failures: number
  }
  /** Bytes of events in memory. */
  readonly memoryBytes: number
}

/** What an outbox is made from. */
export interface OutboxParts extends Time {
  readonly sink: EventSink
  readonly log: Log
  /** A number from 0 to 1, for the waits between attempts. */
  readonly random: () => number
  /** Where events wait that memory has no room for, and those that a killed process must not lose; nowhere if absent. */
  readonly place?: SpoolPlace | undefined
  readonly memory?: MemoryLimits | undefined
  /** Told of dropped events, at most once a second and class. */
  readonly onDropped?: ((drop: Drop) => void) | undefined
}

/**
 * Hands events to the queue, those of one group (a call, else a domain) in order and one at a time, different groups
 * side by side: a batch holds at most one event of a group, so that a partly failed batch can never let a later event
 * of a call pass an earlier one. What the queue does not take is tried again, with growing waits and no end, by the
 * same id; its group waits behind it and nobody else does. While the queue cannot be reached, one batch at a time asks
 * whether it is back. What waits is in memory and on disk, within limits (see `eventBacklog`).
 */
export function eventOutbox(parts: OutboxParts): EventOutbox {
  const { sink, log, random, clock, timers, place, memory = usualMemory, onDropped } = parts
  const groups = new EventGroups()
  const counts = { published: 0, repeated: 0 }
  const tally = dropTally({ clock, timers, log, reason: 'too many wait for the queue', onDropped })
  const spool = place === undefined ? noSpool : openSpool(place, { clock, timers, log, tally })
  const state = { running: 0, isClosed: false, isPausing: false, failures: 0 }
  let idle: (() => void)[] = []

  const backlog = eventBacklog({
    spool,
    tally,
    memory,
    clock,
    timers,
    onReady: (event) => {
      groups.add(event)
      pump()
    },
    onGone: (event) => groups.remove(event),
    onMoved: () => noteIdle(),
  })

  const noteIdle = () => {
    if (!backlog.isEmpty) return
    tally.over()
    for (const resolve of idle) resolve()
    idle = []
  }

  const refused = ({ group, event }: Sending) => {
    event.isAway = false
    group.failures += 1
    counts.repeated += 1
    timers.after(backoffMs(group.failures, random), () => {
      groups.back(group)
      pump()
    })
  }

  const taken = (sending: Sending) => {
    counts.published += 1
    groups.taken(sending)
    backlog.done(sending.event)
  }

  /** Leaves a queue that cannot be reached alone for a while; nothing of the batch is known to have arrived. */
  const unreached = (batch: readonly Sending[]) => {
    counts.repeated += batch.length
    for (const { group, event } of batch) {
      event.isAway = false
      groups.back(group)
    }
    if (state.isPausing) return
    state.isPausing = true
    state.failures += 1
    timers.after(backoffMs(state.failures, random), () => {
      state.isPausing = false
      pump()
    })
  }

  const send = async (batch: readonly Sending[]) => {
    try {
      const refusedIds = new Set(await sink.publish(batch.map(({ event }) => event.event)))
      state.failures = 0
      for (const sending of batch) {
        if (refusedIds.has(sending.event.event.id)) refused(sending)
        else taken(sending)
      }
    } catch (problem) {
      log.warn('the event queue cannot be reached', { events: batch.length, reason: nameOf(problem) })
      unreached(batch)
    }
    state.running -= 1
    noteIdle()
    pump()
  }

  /** How many calls may be under way: while the queue is away, one that asks whether it is back. */
  const parallel = () => {
    if (state.failures > 0) return 1
    return backlog.waiting >= many ? parallelCatchingUp : parallelBatches
  }

  const pump = () => {
    while (!state.isClosed && !state.isPausing && !groups.isEmpty && state.running < parallel()) {
      state.running += 1
      void send(groups.next())
    }
  }

  return {
    add: (event) => {
      const bytes = sizeOf(event)
      if (bytes <= EVENT_BYTES) return backlog.add(event, bytes)
      // Memory and disk hold no more of it than the queue takes.
      const small = fitted(event)
      return backlog.add(small, sizeOf(small))
    },
    drained: () => (backlog.isEmpty ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
    close: () => {
      state.isClosed = true
      return backlog.close()
    },
    get waiting() {
      return backlog.waiting
    },
    get oldestAt() {
      return backlog.oldestAt
    },
    counts: {
      get published() {
        return counts.published
      },
      get repeated() {
        return counts.repeated
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

function nameOf(problem: unknown): string {
  return problem instanceof Error ? problem.name : typeof problem
}
