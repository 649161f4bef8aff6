import type { Log } from '../../adapters/log/logger.ts'
import type { PlatformEvent } from '../../core/model.ts'
import type { ConnectorStatusStore } from '../../core/ports.ts'
import type { EngineEvent } from '../engine.ts'
import { engineTime } from '../reconcile/event-position.ts'
import { sizeOf } from '../spool/waiting-events.ts'
import { type Time, pause } from '../timers.ts'
import type { EventOutbox } from './event-outbox.ts'
import { HeldEvents } from './held-events.ts'
import { mayHandOver, slackMs } from './others-behind.ts'

/** The reports of the others are looked at this often while something is held. */
const lookMs = 1_000

/** What is held leaves after so long, whatever the others tell: an event that is late is worth more than its order. */
const longestMs = 60_000

/** What may be held, ten seconds of a storm: with more of it all leaves at once, to wait where there is a disk. */
const usualLimits = { events: 20_000, bytes: 64 * 1024 * 1024 }

/** What leaves waits for room in the outbox, and looks for it this often. */
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

/** What holding is made from. */
export interface AfterOthersParts extends Time {
  readonly outbox: Pick<EventOutbox, 'add' | 'hasRoom'>
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly connectorId: string
  readonly log: Log
  readonly limits?: typeof usualLimits | undefined
}

/** What is held of one engine. */
interface Place {
  readonly held: HeldEvents
  /** When its events were heard again. What others heard until then goes first. */
  since: number
  /** The first event since then, by the engine's clock, epoch milliseconds; absent until there is one. */
  firstAt: number | undefined
  readonly newCalls: Set<string>
  /** Ends the wait for the others. From then on what is held leaves. */
  over: AbortController
}

/**
 * After an engine's link came up, events of its calls that had begun before are held until every other connector that
 * listened all the time has handed over what it had read by then. Nobody waits for them meanwhile: the others tell the
 * same events. Where no other connector listens nothing is held. Events of other calls and of other engines, and those
 * without a call, pass. What is held leaves in its order, as the outbox has room for it.
 */
export function afterOthers(parts: AfterOthersParts): AfterOthers {
  const { outbox, clock, timers, limits = usualLimits } = parts
  const places = new Map<string, Place>()
  let overflows = 0
  let isStopped = false
  let cancel: (() => void) | undefined
  let onEmpty: (() => void)[] = []

  const sum = (count: (held: HeldEvents) => number) =>
    [...places.values()].reduce((all, { held }) => all + count(held), 0)
  const isTooMuch = () => sum(({ size }) => size) > limits.events || sum(({ bytes }) => bytes) > limits.bytes

  /** Lets go of the first event of a place; `false` when there is none. */
  const pass = ({ held }: Place): boolean => {
    const first = held.shift()
    if (first !== undefined) outbox.add(first.event, first.readAt)
    return first !== undefined
  }

  const drain = () => {
    cancel?.()
    cancel = undefined
    for (const [engine, place] of places) {
      if (!place.over.signal.aborted) continue
      let isLeft = true
      while (isLeft && outbox.hasRoom) isLeft = pass(place)
      if (place.held.size === 0) places.delete(engine)
      else cancel ??= timers.after(leaveMs, drain)
    }
    if (places.size > 0) return
    for (const resolve of onEmpty) resolve()
    onEmpty = []
  }

  const leave = (leaving: Iterable<Place>) => {
    for (const { over } of leaving) over.abort()
    drain()
  }

  /** What comes in the first moment may have begun on the other side of it. */
  const isOfNewCall = ({ held, since, newCalls }: Place, { name, uuid, fields }: PlatformEvent): boolean => {
    const isReal = name === 'CHANNEL_CREATE' && fields['Synthetic'] !== 'true'
    if (isReal && !held.has(uuid) && clock.now() >= since + slackMs) newCalls.add(uuid)
    return newCalls.has(uuid)
  }

  const hold = (place: Place, event: PlatformEvent, readAt: number) => {
    place.held.push({ event, bytes: sizeOf(event), readAt })
    if (!isTooMuch()) return
    const waiting = [...places.values()].filter(({ over }) => !over.signal.aborted)
    if (waiting.length > 0) {
      overflows += 1
      const events = sum(({ size }) => size)
      parts.log.warn('events of calls may pass those of another connector: too many are held', { events })
      leave(waiting)
    }
    while (isTooMuch() && place.held.size > 0) pass(place)
  }

  const wait = async (engine: string, place: Place) => {
    const { signal } = place.over
    while (!signal.aborted && clock.now() < place.since + longestMs) {
      const asked = place.since
      const mustHold = await mayHandOver(parts, engine, place)
      if (!mustHold && asked === place.since) break
      if (mustHold) await pause(timers, lookMs, signal)
    }
    if (!signal.aborted) leave([place])
  }

  /** A call that another engine has recovered stays behind what is held of it. */
  const placeOf = (uuid: string, engine: string) =>
    [...places.values()].find(({ held }) => held.has(uuid)) ?? places.get(engine)

  return {
    add: (event, engine, readAt = clock.now()) => {
      const place = places.size === 0 || event.uuid === '' ? undefined : placeOf(event.uuid, engine)
      if (place === undefined) return outbox.add(event, readAt)
      const passes = place.over.signal.aborted ? !place.held.has(event.uuid) : isOfNewCall(place, event)
      if (passes) return outbox.add(event, readAt)
      hold(place, event, readAt)
      return true
    },
    heard: (event, engine) => {
      const place = places.size === 0 ? undefined : places.get(engine)
      if (place !== undefined) place.firstAt ??= engineTime(event)
    },
    heardAgain: (engine) => {
      if (isStopped) return
      const place = places.get(engine) ?? newPlace()
      place.since = clock.now()
      place.firstAt = undefined
      place.newCalls.clear()
      if (places.has(engine) && !place.over.signal.aborted) return
      place.over = new AbortController()
      places.set(engine, place)
      void wait(engine, place)
    },
    stop: () => {
      isStopped = true
      const left = new Promise<void>((resolve) => onEmpty.push(resolve))
      leave(places.values())
      return left
    },
    close: () => {
      isStopped = true
      for (const place of places.values()) while (place.held.size > 0) pass(place)
      leave(places.values())
    },
    get waiting() {
      return sum(({ size }) => size)
    },
    get bytes() {
      return sum(({ bytes }) => bytes)
    },
    get oldestAt() {
      const times = [...places.values()].flatMap(({ held }) => held.oldestAt ?? [])
      return times.length === 0 ? undefined : Math.min(...times)
    },
    get overflows() {
      return overflows
    },
  }
}

function newPlace(): Place {
  return { held: new HeldEvents(), since: 0, firstAt: undefined, newCalls: new Set(), over: new AbortController() }
}
