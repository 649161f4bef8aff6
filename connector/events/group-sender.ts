import type { Log } from '../../adapters/log/logger.ts'
import type { EventSink } from '../../core/events/event-sink.ts'
import { errorLatch } from '../runtime/error-latch.ts'
import type { Waiting } from '../spool/waiting-events.ts'
import { type Time, backoffMs } from '../../core/concurrency/timers.ts'
import { EventGroups, type Sending } from './event-groups.ts'
import { SendPace } from './send-pace.ts'

/** Calls to the queue at a time: one hides another's round trip, more would only make the queue throttle. */
const parallelBatches = 4

/** While many wait there are more, so that what an outage left is gone within a minute; and what many are. */
const parallelCatchingUp = 12
const many = 1_000

/** Sends events by their groups. */
export interface GroupSender {
  /** Takes an event that can be sent. */
  add(event: Waiting): void
  /** Lets go of an event that was given up, and is not under way. */
  remove(event: Waiting): void
  /** Begins no call any more. */
  stop(): void
  readonly counts: {
    readonly published: number
    /** Events that were sent once more than before. */
    readonly repeated: number
  }
}

export interface SenderDeps extends Time {
  /** Names the queue in the log. */
  readonly queue: string
  /** Milliseconds between batches that are not full, once some were sent in quick succession. */
  readonly paceMs: number
  readonly sink: EventSink
  readonly log: Log
  /** A number from 0 to 1, for the waits between attempts. */
  readonly random: () => number
  /** How many events wait, those included that cannot be sent yet. */
  readonly waiting: () => number
  /** Called with each event that the queue took. */
  readonly onTaken: (event: Waiting) => void
  /** Called when a call has ended, well or not. */
  readonly onSettled: () => void
}

/**
 * Makes a sender. Events of one group (a call, else a domain) go in order and one at a time, different groups side by
 * side: a batch holds at most one event of a group, so that a partly failed batch can never let a later event of a call
 * pass an earlier one. What the queue does not take is tried again, with growing waits and no end, by the same id; the
 * rest of its group waits for it, and no other group does. While the queue cannot be reached, one batch at a time asks
 * whether it is back.
 *
 * An idle sender sends each event at once. Under load, batches that are not full keep a pace, so that events share a
 * call; a full batch, and the next event of a group that waited for its turn, go without it.
 */
export function groupSender(deps: SenderDeps): GroupSender {
  const { queue, sink, log, random, clock, timers, waiting, onTaken, onSettled } = deps
  const pace = new SendPace(clock, deps.paceMs)
  const groups = new EventGroups()
  const away = errorLatch(log, `the ${queue} cannot be reached`)
  const counts = { published: 0, repeated: 0 }
  const state = { running: 0, isStopped: false, isPausing: false, isPaced: false, failures: 0 }

  const taken = (sending: Sending) => {
    counts.published += 1
    groups.taken(sending)
    onTaken(sending.event)
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

  /** Ids that the queue did not take; `undefined` when it could not be reached. */
  const publish = async (batch: readonly Sending[]): Promise<ReadonlySet<string> | undefined> => {
    try {
      const refusedIds = await sink.publish(batch.map(({ event }) => event.event))
      away.over()
      return new Set(refusedIds)
    } catch (problem) {
      away.note(undefined, { events: batch.length, reason: problem instanceof Error ? problem.name : typeof problem })
      return undefined
    }
  }

  const send = async (batch: readonly Sending[]) => {
    const refusedIds = await publish(batch)
    if (refusedIds === undefined) unreached(batch)
    else {
      state.failures = 0
      for (const sending of batch) {
        if (refusedIds.has(sending.event.event.id)) refused(sending)
        else taken(sending)
      }
    }
    state.running -= 1
    onSettled()
    pump()
  }

  /** How many calls may be under way: while the queue is away, one that asks whether it is back. */
  const parallel = () => {
    if (state.failures > 0) return 1
    return waiting() >= many ? parallelCatchingUp : parallelBatches
  }

  /** Waits until the pace allows a batch that is not full. */
  const pumpLater = (waitMs: number) => {
    if (state.isPaced) return
    state.isPaced = true
    timers.after(waitMs, () => {
      state.isPaced = false
      pump()
    })
  }

  const pump = () => {
    while (!state.isStopped && !state.isPausing && !groups.isEmpty && state.running < parallel()) {
      if (groups.isDue) pace.spend()
      else {
        const waitMs = pace.take()
        if (waitMs > 0) return pumpLater(waitMs)
      }
      state.running += 1
      void send(groups.next())
    }
  }

  return {
    add: (event) => {
      groups.add(event)
      pump()
    },
    remove: (event) => groups.remove(event),
    stop: () => {
      state.isStopped = true
    },
    counts,
  }
}
