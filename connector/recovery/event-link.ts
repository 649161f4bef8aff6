import type { EventLinkReport, EventPosition } from '../../core/connectors/connector-report.ts'
import { type EngineEvent, earlierReported, engineTime, nowhere, positionOf } from '../runtime/engine.ts'
import type { GapFound } from './gap-log.ts'

/** A gap of which the first event after it is still to come. */
interface OpenGap {
  readonly found: Omit<GapFound, 'after'>
  readonly missed: MissedTime
  readonly cancel: () => void
}

interface Unread {
  readonly onCounted: (heardTo: number) => void
  readonly from: number
  readonly before: EventPosition
  readonly missed: MissedTime
  readonly cancel: () => void
  count: number
}

/** The state of the event link of one engine; times are epoch milliseconds, 0 before there is one. */
export interface EventLink {
  last: EngineEvent | undefined
  lastAt: number
  core: string
  upSince: number
  firstUpAt: number
  lost: { readonly from: number; readonly reason: string; readonly missed: MissedTime } | undefined
  open: OpenGap | undefined
  unread: Unread | undefined
  unreadReportedAt: number
  readonly missed: MissedTimes
  readonly marks: ReadMarks
}

/** Returns a link that has never been up. */
export function newEventLink(marks: ReadMarks): EventLink {
  return {
    last: undefined,
    lastAt: 0,
    core: '',
    upSince: 0,
    firstUpAt: 0,
    lost: undefined,
    open: undefined,
    unread: undefined,
    unreadReportedAt: 0,
    missed: new MissedTimes(),
    marks,
  }
}

/** Returns the position of the last event of a link. */
export function lastOf({ last }: EventLink): EventPosition {
  return last === undefined ? nowhere : positionOf(last)
}

/** How far a connector has come with what it read. */
export interface Progress {
  /** All that was read before this moment, epoch milliseconds, has been queued. */
  readonly queuedTo: number
  /** The same of what has been queued or written to disk. */
  readonly keptTo: number
  /** Engines whose links carry less than is wanted. Not reported as up: they do not end the gap before them. */
  readonly narrow: ReadonlySet<string>
}

/**
 * Reports on a link to the other connectors. The first of its gaps that were found and are not stored begins at
 * `unstoredFrom`, epoch milliseconds, if there is one.
 */
export function reportOf(
  engine: string,
  link: EventLink,
  { queuedTo, keptTo, narrow }: Progress,
  unstoredFrom = Infinity,
): EventLinkReport {
  const { last, core, upSince, lost, open, unread, marks } = link
  const handedOverTo = marks.engineTimeBefore(queuedTo)
  const lostAt = Math.min(unstoredFrom, ...[lost, open?.found, unread].map((gap) => gap?.from ?? Infinity))
  return {
    engine,
    last: last === undefined ? { ...nowhere, coreUuid: core } : positionOf(last),
    upSince: narrow.has(engine) ? 0 : upSince,
    ...(lostAt === Infinity ? {} : { lostAt }),
    ...(handedOverTo === undefined ? {} : { handedOverTo }),
    keptTo: keptByEngineClock(link, keptTo),
  }
}

/**
 * Converts the moment up to which all that was read is kept to the engine's clock: the time of the newest event that
 * was read before it. Later events of the engine may not have been read yet, however late this connector reads. A link
 * that came up since then carries nothing older.
 */
function keptByEngineClock({ marks, upSince, firstUpAt }: EventLink, keptTo: number): number {
  const reportedTo = earlierReported(keptTo, marks.engineTimeBefore(keptTo) ?? (firstUpAt || keptTo))
  return upSince > 0 && keptTo >= upSince ? Math.max(reportedTo, upSince) : reportedTo
}

/** The remembered times of an engine's gaps, so that a call of such a time is known to have been missed. */
const maxTimes = 16

/** The engine's clock ticks in steps, and what is on its way when a link breaks is a little older than that. */
const slackMs = 1_000

/** A time of the engine's own clock in which its events were not heard. */
export interface MissedTime {
  /** Says when it ended, epoch milliseconds; until then it goes on. */
  end(at: number): void
}

/**
 * The times in which events of an engine were missed. When there are more than 16, the oldest two become one, including
 * the time between them.
 */
export class MissedTimes {
  #times: { from: number; to: number }[] = []

  get isEmpty(): boolean {
    return this.#times.length === 0
  }

  /** A time begins, epoch milliseconds. */
  begin(from: number): MissedTime {
    const time = { from: from - slackMs, to: Number.POSITIVE_INFINITY }
    const [oldest, second, ...rest] = this.#times
    if (oldest !== undefined && second !== undefined && this.#times.length >= maxTimes) {
      second.from = Math.min(oldest.from, second.from)
      second.to = Math.max(oldest.to, second.to)
      this.#times = [second, ...rest]
    }
    this.#times.push(time)
    return {
      end: (at) => {
        time.to = at + slackMs
      },
    }
  }

  /** Whether a moment, epoch milliseconds, falls into one of them. */
  has(at: number): boolean {
    return this.#times.some(({ from, to }) => from <= at && at <= to)
  }
}

/** An event is noted this often: to a tenth of a second it is known when events of which moment were read. */
const apartMs = 100

/** A hundred seconds of a busy engine. Of more every other one goes, so that what is long ago is known less exactly. */
const maxMarks = 1_000

interface Mark {
  /** Epoch milliseconds of the own clock. */
  readonly readAt: number
  /** Epoch milliseconds of the engine's clock. */
  readonly engineAt: number
}

/**
 * Pairs of a moment of an engine and the time at which it was read. Events between the two may have been in transit.
 */
export class ReadMarks {
  #marks: Mark[] = []
  #last: { readonly readAt: number; readonly event: EngineEvent } | undefined

  note(event: EngineEvent, now: number): void {
    this.#last = { readAt: now, event }
    const newest = this.#marks.at(-1)
    if (newest !== undefined && now - newest.readAt < apartMs) return
    const engineAt = engineTime(event)
    if (engineAt === undefined) return
    if (this.#marks.length >= maxMarks) this.#marks = this.#marks.filter((_mark, index) => index % 2 === 0)
    this.#marks.push({ readAt: now, engineAt })
  }

  /** The engine's time of the newest event that is known to have been read before a moment; absent when none is. */
  engineTimeBefore(moment: number): number | undefined {
    if (this.#last !== undefined && this.#last.readAt < moment) return engineTime(this.#last.event)
    return this.#marks.findLast(({ readAt }) => readAt < moment)?.engineAt
  }
}

/** The marks of all engines. */
export class EngineMarks {
  readonly #engines = new Map<string, ReadMarks>()

  of(engine: string): ReadMarks {
    const marks = this.#engines.get(engine) ?? new ReadMarks()
    this.#engines.set(engine, marks)
    return marks
  }

  /** The engines' time (epoch ms) before which everything was sent that we had read before a moment of our clock. */
  sentBefore(moment: number): number {
    const times = [...this.#engines.values()].map((marks) => earlierReported(moment, marks.engineTimeBefore(moment)))
    return Math.min(moment, ...times)
  }
}
