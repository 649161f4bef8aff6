import type { Log } from '../../adapters/log/logger.ts'
import type { EventSink } from '../../core/events/event-sink.ts'
import { type ErrorLatch, errorLatch } from '../runtime/error-latch.ts'
import { type Time, backoffMs } from '../../core/concurrency/timers.ts'
import { EventGroups, type Outgoing, type Sending } from './event-groups.ts'
import { type Allowance, takeOne } from '../../core/requests/rate-limit.ts'
import type { Clock } from '../../core/time.ts'

/** Calls to the queue at a time: one hides another's round trip, more would only make the queue throttle. */
const parallelBatches = 4

/** While many wait there are more, so that what an outage left is gone within a minute; and what many are. */
const parallelCatchingUp = 12
const many = 1_000

export interface SenderDeps extends Time {
  readonly queue: string
  /** Milliseconds between batches that are not full, once some were sent in quick succession. */
  readonly paceMs: number
  readonly sink: EventSink
  readonly log: Log
  readonly random: () => number
  /** How many events wait, those included that cannot be sent yet. */
  readonly waiting: () => number
  readonly onTaken: (event: Outgoing) => void
  readonly onSettled: () => void
}

/**
 * Sends events by their groups. Events of one group (a call, else a domain) go in order and one at a time, different
 * groups side by side: a batch holds at most one event of a group, so that a partly failed batch can never let a later
 * event of a call pass an earlier one. What the queue does not take is tried again, with growing waits and no end, by
 * the same id; the rest of its group waits for it, and no other group does. While the queue cannot be reached, one
 * batch at a time asks whether it is back.
 *
 * An idle sender sends each event at once. Under load, batches that are not full keep a pace, so that events share a
 * call; a full batch, and the next event of a group that waited for its turn, go without it.
 */
export class EventSender {
  /** Events that the queue took, and events that were sent once more than before. */
  readonly counts = { published: 0, repeated: 0 }
  readonly #deps: SenderDeps
  readonly #pace: SendPace
  readonly #away: ErrorLatch
  readonly #groups = new EventGroups()
  #running = 0
  #isStopped = false
  #isPausing = false
  #isPaced = false
  #failures = 0

  constructor(deps: SenderDeps) {
    this.#deps = deps
    this.#pace = new SendPace(deps.clock, deps.paceMs)
    this.#away = errorLatch(deps.log, `the ${deps.queue} cannot be reached`)
  }

  add(event: Outgoing): void {
    this.#groups.add(event)
    this.#pump()
  }

  stop(): void {
    this.#isStopped = true
  }

  #pump(): void {
    while (this.#mayBegin()) {
      if (this.#groups.isDue) this.#pace.spend()
      else {
        const waitMs = this.#pace.take()
        if (waitMs > 0) return this.#pumpLater(waitMs)
      }
      this.#running += 1
      void this.#send(this.#groups.next())
    }
  }

  #mayBegin(): boolean {
    return !this.#isStopped && !this.#isPausing && !this.#groups.isEmpty && this.#running < this.#parallel()
  }

  /** How many calls may be under way: while the queue is away, one that asks whether it is back. */
  #parallel(): number {
    if (this.#failures > 0) return 1
    return this.#deps.waiting() >= many ? parallelCatchingUp : parallelBatches
  }

  #pumpLater(waitMs: number): void {
    if (this.#isPaced) return
    this.#isPaced = true
    this.#deps.timers.after(waitMs, () => {
      this.#isPaced = false
      this.#pump()
    })
  }

  async #send(batch: readonly Sending[]): Promise<void> {
    const refusedIds = await this.#publish(batch)
    if (refusedIds === undefined) this.#unreached(batch)
    else {
      this.#failures = 0
      for (const sending of batch) {
        if (refusedIds.has(sending.event.event.id)) this.#refused(sending)
        else this.#taken(sending)
      }
    }
    this.#running -= 1
    this.#deps.onSettled()
    this.#pump()
  }

  /** Ids that the queue did not take; `undefined` when it could not be reached. */
  async #publish(batch: readonly Sending[]): Promise<ReadonlySet<string> | undefined> {
    try {
      const refusedIds = await this.#deps.sink.publish(batch.map(({ event }) => event.event))
      this.#away.over()
      return new Set(refusedIds)
    } catch (problem) {
      const reason = problem instanceof Error ? problem.name : typeof problem
      this.#away.note(undefined, { events: batch.length, reason })
      return undefined
    }
  }

  #taken(sending: Sending): void {
    this.counts.published += 1
    this.#groups.taken(sending)
    this.#deps.onTaken(sending.event)
  }

  #refused({ group }: Sending): void {
    group.failures += 1
    this.counts.repeated += 1
    this.#deps.timers.after(backoffMs(group.failures, this.#deps.random), () => {
      this.#groups.back(group)
      this.#pump()
    })
  }

  /** Leaves a queue that cannot be reached alone for a while; nothing of the batch is known to have arrived. */
  #unreached(batch: readonly Sending[]): void {
    this.counts.repeated += batch.length
    for (const { group } of batch) this.#groups.back(group)
    if (this.#isPausing) return
    this.#isPausing = true
    this.#failures += 1
    this.#deps.timers.after(backoffMs(this.#failures, this.#deps.random), () => {
      this.#isPausing = false
      this.#pump()
    })
  }
}

const burst = 10

/** The pace of batches that are not full: after a burst one for each interval. */
export class SendPace {
  readonly #clock: Clock
  readonly #allowance: Allowance
  /** When the whole burst is free again, epoch milliseconds. */
  #fullAt = 0

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock
    this.#allowance = { intervalMs, burst }
  }

  /** Takes one batch and returns 0, or returns the milliseconds until one may go. */
  take(): number {
    const { verdict, fullAt } = takeOne(this.#known(), this.#allowance, this.#clock.now())
    this.#fullAt = fullAt
    return verdict.isAllowed ? 0 : verdict.waitMs
  }

  spend(): void {
    if (this.take() > 0) this.#fullAt = this.#clock.now() + burst * this.#allowance.intervalMs
  }

  /** Returns {@link #fullAt}, which is void if the clock was set back. */
  #known(): number | undefined {
    return this.#fullAt - this.#clock.now() > burst * this.#allowance.intervalMs ? undefined : this.#fullAt
  }
}
