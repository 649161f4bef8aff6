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

/** Keeps events of calls from passing those that another connector read before and has yet to hand over. */
export interface AfterOthers {
  /**
   * Takes an event of the engine named, read at `readAt`, epoch milliseconds, now where absent, for the outbox, now or
   * later; `false` when the outbox has no room for it.
   */
  add(event: PlatformEvent, engine: string, readAt?: number): boolean
  /** An event of an engine was read; at once, and never failing. */
  heard(event: EngineEvent, engine: string): void
  /** Events of an engine were missed or given up; from now on they are heard again. */
  heardAgain(engine: string): void
  /** Holds no more. Resolves when the outbox has taken all that is held. */
  stop(): Promise<void>
  /** Holds no more, and gives the outbox all that is held, whether there is room for it or not. */
  close(): void
  /** Events that are held, their bytes, and when the oldest was read, epoch milliseconds. */
  readonly waiting: number
  readonly bytes: number
  readonly oldestAt: number | undefined
  /** Times that more was held than may be. */
  readonly overflows: number
}

export interface AfterOthersDeps extends Time {
  readonly outbox: Pick<EventOutbox, 'add' | 'hasRoom'>
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly connectorId: string
  readonly log: Log
  readonly limits?: typeof usualLimits | undefined
}

/**
 * After an engine's link came up, events of its calls that had begun before are held until every other connector that
 * listened all the time has handed over what it had read by then. They delay no receiver meanwhile: the others relay the
 * same events. Where no other connector listens nothing is held. Events of other calls and of other engines, and those
 * without a call, pass. What is held leaves in its order, as the outbox has room for it.
 */
export function afterOthers(parts: AfterOthersDeps): AfterOthers {
  const { outbox, clock, timers, limits = usualLimits } = parts
  const places = new HoldingPlaces()
  let overflows = 0
  let isStopped = false
  let cancel: (() => void) | undefined
  let onEmpty: (() => void)[] = []

  const isTooMuch = () => places.events > limits.events || places.bytes > limits.bytes

  /** Lets go of the first event of a place; `false` when there is none. */
  const pass = ({ held }: HoldingPlace): boolean => {
    const first = held.shift()
    if (first !== undefined) outbox.add(first.event, first.readAt)
    return first !== undefined
  }

  const drain = () => {
    cancel?.()
    cancel = undefined
    for (const place of places.all.filter(({ isLeaving }) => isLeaving)) {
      let isLeft = true
      while (isLeft && outbox.hasRoom) isLeft = pass(place)
      if (place.held.size > 0) cancel ??= timers.after(leaveMs, drain)
    }
    places.close()
    if (!places.isEmpty) return
    for (const resolve of onEmpty) resolve()
    onEmpty = []
  }

  const leave = (leaving: readonly HoldingPlace[]) => {
    for (const { over } of leaving) over.abort()
    drain()
  }

  const hold = (place: HoldingPlace, event: PlatformEvent, readAt: number) => {
    place.held.push({ event, bytes: sizeOf(event), readAt })
    if (!isTooMuch()) return
    const waiting = places.all.filter(({ isLeaving }) => !isLeaving)
    if (waiting.length > 0) {
      overflows += 1
      parts.log.warn('events of calls may pass those of another connector: too many are held', {
        events: places.events,
      })
      leave(waiting)
    }
    while (isTooMuch() && place.held.size > 0) pass(place)
  }

  const wait = async (engine: string, place: HoldingPlace) => {
    const { signal } = place.over
    while (!signal.aborted && clock.now() < place.since + longestMs) {
      const asked = place.since
      const mustHold = await mayHandOver(parts, engine, place)
      if (!mustHold && asked === place.since) break
      if (mustHold) await pause(timers, lookMs, signal)
    }
    if (!signal.aborted) leave([place])
  }

  return {
    add: (event, engine, readAt = clock.now()) => {
      const place = places.ofCall(event.uuid, engine)
      if (place === undefined || place.mayPass(event)) return outbox.add(event, readAt)
      hold(place, event, readAt)
      return true
    },
    heard: (event, engine) => {
      const place = places.of(engine)
      if (place !== undefined) place.firstAt ??= engineTime(event)
    },
    heardAgain: (engine) => {
      if (isStopped) return
      const known = places.of(engine)
      const place = known ?? places.open(engine)
      place.beginAgain(clock.now())
      if (known !== undefined && !known.isLeaving) return
      place.over = new AbortController()
      void wait(engine, place)
    },
    stop: () => {
      isStopped = true
      const left = new Promise<void>((resolve) => onEmpty.push(resolve))
      leave(places.all)
      return left
    },
    close: () => {
      isStopped = true
      for (const place of places.all) while (place.held.size > 0) pass(place)
      leave(places.all)
    },
    get waiting() {
      return places.events
    },
    get bytes() {
      return places.bytes
    },
    get oldestAt() {
      return places.oldestAt
    },
    get overflows() {
      return overflows
    },
  }
}
