import type { ReadField } from '../../core/channels/leg.ts'
import type { Clock } from '../../core/time.ts'
import { readEvent } from '@callplane/esl'
import { type EngineEvent, engineTime } from './engine.ts'

/** A clock that is off by less is taken as it is. */
const toleratedMs = 60_000

/** Offsets that differ by less are the same one: events wait that long in an engine's threads. */
const slackMs = 5_000

/** Nothing is read later than this: such an event comes from a clock that is slow. */
const longestLagMs = 3_600_000

/** So many events in a row, over so long, show a clock that is slow: a lag does not stay the same. */
const [agreeing, agreedMs] = [3, 60_000]

/** Times of an engine's clock in its events, in microseconds. */
const timeHeader = /^(?:Event-Date-Timestamp|(?:Caller|Other-Leg)-[A-Za-z-]+-Time|variable_(?:[a-z_]+_)?uepoch)$/

/** The same in an answer about a channel; a row of the list has seconds. */
const epochs: ReadonlyMap<string, number> = new Map([
  ['Caller-Channel-Created-Time', 1_000],
  ['created_epoch', 1 / 1_000],
])

interface EngineClock {
  /** How far the engine's clock is behind the platform's, milliseconds. */
  readonly behindMs: number
  /** How late the latest event was whose time is believed, and when it was read, by the platform's clock. */
  latest?: { readonly lateMs: number; readonly readAt: number }
  /** Another offset that the latest events had, since a moment of the platform's. */
  other?: { readonly behindMs: number; readonly since: number; events: number }
}

/**
 * How far the clocks of engines are off, by the arrival of their events. No time of an engine is believed before it was
 * compared.
 */
export class EngineClocks {
  readonly #clock: Clock
  readonly #engines = new Map<string, EngineClock>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * How many milliseconds an engine's clock is behind the platform's, less than 0 if it is ahead; absent before its
   * first event.
   */
  behindMs(engine: string): number | undefined {
    return this.#engines.get(engine)?.behindMs
  }

  /**
   * Compares the time of an event that was just read, and returns the event with the platform's times where the clock
   * of its engine is off by more than a minute. Its own beginning of the call stays in `variable_engine_time`.
   */
  corrected(event: EngineEvent, engine: string): EngineEvent {
    const at = engineTime(event)
    if (at === undefined) return event
    const behindMs = this.#compare(at, engine)
    return Math.abs(behindMs) > toleratedMs ? withTimes(event, behindMs) : event
  }

  /** Reads an engine's answer about a channel with the platform's times, as {@link corrected} does. */
  reader(read: ReadField, engine: string): ReadField {
    const behindMs = this.behindMs(engine) ?? 0
    if (Math.abs(behindMs) <= toleratedMs) return read
    return (name) => {
      const [text, perMs] = [read(name), epochs.get(name)]
      return perMs === undefined || text === undefined ? text : moved(text, behindMs * perMs)
    }
  }

  /**
   * Nothing is early, so an event that is later than now shows a wrong clock; one from before may only be late. A link
   * keeps the order of its events, so one that is later than the time since the event before it has a wrong time.
   */
  #compare(at: number, engine: string): number {
    const now = this.#clock.now()
    const seenMs = now - at
    const known = this.#engines.get(engine) ?? { behindMs: Math.min(0, seenMs) }
    const lateMs = seenMs - known.behindMs
    const isSet = Math.abs(lateMs) > longestLagMs || hasAgreed(known, seenMs, now)
    this.#engines.set(engine, isSet ? { behindMs: seenMs } : known)
    if (isSet || lateMs < -slackMs || lateMs > mostLateMs(known, now)) return seenMs
    known.latest = { lateMs, readAt: now }
    return known.behindMs
  }
}

function mostLateMs({ latest }: EngineClock, now: number): number {
  return latest === undefined ? Number.POSITIVE_INFINITY : latest.lateMs + now - latest.readAt + slackMs
}

/** Counts the events in a row that have another offset than the known one, and returns whether they show it. */
function hasAgreed(known: EngineClock, behindMs: number, now: number): boolean {
  const { other } = known
  if (Math.abs(behindMs - known.behindMs) <= slackMs) delete known.other
  else if (other === undefined || Math.abs(behindMs - other.behindMs) > slackMs) {
    known.other = { behindMs, since: now, events: 1 }
  } else {
    other.events += 1
    return other.events >= agreeing && now - other.since >= agreedMs
  }
  return false
}

function withTimes(event: EngineEvent, behindMs: number): EngineEvent {
  const headers = Object.entries(event.headers()).map(([name, value]) => [
    name,
    timeHeader.test(name) ? moved(value, behindMs * 1_000) : value,
  ])
  const created = Number(event.header('Caller-Channel-Created-Time')) / 1_000
  const own = created > 0 && created < 8.64e15 ? { variable_engine_time: new Date(created).toISOString() } : {}
  const body = event.body === '' ? {} : { _body: event.body }
  const text = JSON.stringify({ ...Object.fromEntries(headers), ...own, ...body })
  return readEvent('text/event-json', Buffer.from(text))
}

/** 0 stands for a time that there is none of. */
function moved(text: string, by: number): string {
  return /^[1-9]\d{0,16}$/.test(text) ? `${Math.max(1, Math.round(Number(text) + by))}` : text
}
