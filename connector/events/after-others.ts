import { textEvent } from '../../adapters/events/text-event.ts'
import type { Log } from '../../adapters/log/logger.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import type { EngineEvent } from '../runtime/engine.ts'
import { engineTime } from '../links/event-position.ts'
import { sizeOf } from '../spool/waiting-events.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import type { EventOutbox } from './event-outbox.ts'
import { type HoldingPlace, HoldingPlaces } from './holding-places.ts'
import { mayHandOver } from './pending-handover.ts'

/** The reports of the others are looked at this often while something is held. */
const lookMs = 1_000

/** Held events leave after this time, whatever the others report: a late event is worth more than its order. */
const longestMs = 60_000

/** The most events held, ten seconds of a storm. Beyond it all of them leave at once, to wait in the spool. */
const usualLimits = { events: 20_000, bytes: 64 * 1024 * 1024 }

/** Leaving events wait for room in the outbox, which is checked this often. */
const leaveMs = 50

export interface AfterOthersDeps extends Time {
  readonly outbox: Pick<EventOutbox, 'add' | 'hasRoom'>
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly connectorId: string
  readonly log: Log
  readonly limits?: typeof usualLimits | undefined
}

/**
 * Keeps events of calls from passing those that another connector read before and has yet to hand over.
 *
 * After an engine's link came up, events of its calls that had begun before are held until every other connector that
 * listened all the time has handed over what it had read by then. They delay no receiver meanwhile: the others relay the
 * same events. Where no other connector listens nothing is held. Events of other calls and of other engines, and those
 * without a call, pass. What is held leaves in its order, as the outbox has room for it.
 */
export class AfterOthers {
  readonly #deps: AfterOthersDeps
  readonly #limits: typeof usualLimits
  readonly #places = new HoldingPlaces()
  #overflows = 0
  #isStopped = false
  #cancel: (() => void) | undefined
  #onEmpty: (() => void)[] = []

  constructor(deps: AfterOthersDeps) {
    this.#deps = deps
    this.#limits = deps.limits ?? usualLimits
  }

  /** Events that are held. */
  get waiting(): number {
    return this.#places.events
  }

  get bytes(): number {
    return this.#places.bytes
  }

  /** When the oldest of them was read, epoch milliseconds. */
  get oldestAt(): number | undefined {
    return this.#places.oldestAt
  }

  /** Times that more was held than may be. */
  get overflows(): number {
    return this.#overflows
  }

  /**
   * Takes an event of the engine named, read at `readAt`, epoch milliseconds, now where absent, for the outbox, now or
   * later; `false` when the outbox has no room for it.
   */
  add(event: PlatformEvent, engine: string, readAt: number = this.#deps.clock.now()): boolean {
    const place = this.#places.ofCall(event.uuid, engine)
    if (place === undefined || place.mayPass(event)) return this.#deps.outbox.add(event, readAt)
    this.#hold(place, event, readAt)
    return true
  }

  /** An event of an engine was read; at once, and never failing. */
  heard(event: EngineEvent, engine: string): void {
    const place = this.#places.of(engine)
    if (place !== undefined) place.firstAt ??= engineTime(event)
  }

  /** Events of an engine were missed or given up; from now on they are heard again. */
  heardAgain(engine: string): void {
    if (this.#isStopped) return
    const known = this.#places.of(engine)
    const place = known ?? this.#places.open(engine)
    place.beginAgain(this.#deps.clock.now())
    if (known !== undefined && !known.isLeaving) return
    place.over = new AbortController()
    void this.#wait(engine, place)
  }

  /** Holds no more. Resolves when the outbox has taken all that is held. */
  stop(): Promise<void> {
    this.#isStopped = true
    const left = new Promise<void>((resolve) => this.#onEmpty.push(resolve))
    this.#leave(this.#places.all)
    return left
  }

  /** Holds no more, and gives the outbox all that is held, whether there is room for it or not. */
  close(): void {
    this.#isStopped = true
    for (const place of this.#places.all) while (place.held.size > 0) this.#pass(place)
    this.#leave(this.#places.all)
  }

  async #wait(engine: string, place: HoldingPlace): Promise<void> {
    const { clock, timers } = this.#deps
    const { signal } = place.over
    while (!signal.aborted && clock.now() < place.since + longestMs) {
      if (!(await mayHandOver(this.#deps, engine, place))) break
      await pause(timers, lookMs, signal)
    }
    if (!signal.aborted) this.#leave([place])
  }

  #hold(place: HoldingPlace, given: PlatformEvent, readAt: number): void {
    const event = textEvent(given)
    place.held.push({ event, bytes: sizeOf(event), readAt })
    if (!this.#isTooMuch()) return
    const waiting = this.#places.all.filter(({ isLeaving }) => !isLeaving)
    if (waiting.length > 0) {
      this.#overflows += 1
      this.#deps.log.warn('events of calls may pass those of another connector: too many are held', {
        events: this.#places.events,
      })
      this.#leave(waiting)
    }
    while (this.#isTooMuch() && place.held.size > 0) this.#pass(place)
  }

  #isTooMuch(): boolean {
    return this.#places.events > this.#limits.events || this.#places.bytes > this.#limits.bytes
  }

  #leave(leaving: readonly HoldingPlace[]): void {
    for (const { over } of leaving) over.abort()
    this.#drain()
  }

  #drain(): void {
    const { outbox, timers } = this.#deps
    this.#cancel?.()
    this.#cancel = undefined
    for (const place of this.#places.all.filter(({ isLeaving }) => isLeaving)) {
      let isLeft = true
      while (isLeft && outbox.hasRoom) isLeft = this.#pass(place)
      if (place.held.size > 0) this.#cancel ??= timers.after(leaveMs, () => this.#drain())
    }
    this.#places.close()
    if (!this.#places.isEmpty) return
    for (const resolve of this.#onEmpty) resolve()
    this.#onEmpty = []
  }

  /** Lets go of the first event of a place; `false` when there is none. */
  #pass({ held }: HoldingPlace): boolean {
    const first = held.shift()
    if (first !== undefined) this.#deps.outbox.add(first.event, first.readAt)
    return first !== undefined
  }
}
