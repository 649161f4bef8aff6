import type { Log } from '../../adapters/log/logger.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import type { EngineEvent } from '../runtime/engine.ts'
import { engineTime } from '../links/event-position.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import type { Held } from './held-events.ts'
import { type HoldingPlace, HoldingPlaces } from './holding-places.ts'
import { mayHandOver } from './pending-handover.ts'

/** The reports of the others are looked at this often while something is held. */
const lookMs = 1_000

/** Held events leave after this time, whatever the others report: a late event is worth more than its order. */
const longestMs = 60_000

/** The most events held, ten seconds of a storm. Beyond it all of them leave at once, to wait in the spool. */
const usualLimits = { events: 20_000, bytes: 64 * 1024 * 1024 }

export interface AfterOthersDeps extends Time {
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
 * without a call, pass. What is held leaves in its order.
 */
export class AfterOthers {
  readonly #deps: AfterOthersDeps
  readonly #limits: typeof usualLimits
  readonly #places = new HoldingPlaces()
  #overflows = 0
  #isStopped = false

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

  /** Times that more was held than may be. */
  get overflows(): number {
    return this.#overflows
  }

  /** Takes an event of the engine named, of so many bytes: calls `pass`, which lets it go to the queue, now or later. */
  add(event: PlatformEvent, engine: string, bytes: number, pass: () => void): void {
    const place = this.#places.ofCall(event.uuid, engine)
    if (place === undefined || place.mayPass(event)) pass()
    else this.#hold(place, { event, bytes, pass })
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

  /** Holds no more: all that is held goes to the queue. */
  stop(): void {
    this.#isStopped = true
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

  #hold(place: HoldingPlace, held: Held): void {
    place.held.push(held)
    if (!this.#isTooMuch()) return
    this.#overflows += 1
    this.#deps.log.warn('events of calls may pass those of another connector: too many are held', {
      events: this.#places.events,
    })
    this.#leave(this.#places.all)
  }

  #isTooMuch(): boolean {
    return this.#places.events > this.#limits.events || this.#places.bytes > this.#limits.bytes
  }

  #leave(leaving: readonly HoldingPlace[]): void {
    for (const { over, held } of leaving) {
      over.abort()
      for (let first = held.shift(); first !== undefined; first = held.shift()) first.pass()
    }
    this.#places.close()
  }
}
