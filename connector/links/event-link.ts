import type { EventLinkReport, EventPosition } from '../../core/connectors/connector-report.ts'
import type { EngineEvent } from '../runtime/engine.ts'
import { earlierReported, nowhere, positionOf } from './event-position.ts'
import type { GapFound } from './gap-log.ts'
import { type MissedTime, MissedTimes } from './missed-times.ts'
import { ReadMarks } from './read-marks.ts'

/** A gap of which the first event after it is still to come. */
interface OpenGap {
  readonly found: Omit<GapFound, 'after'>
  readonly missed: MissedTime
  readonly cancel: () => void
}

interface Unread {
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
export function newEventLink(): EventLink {
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
    marks: new ReadMarks(),
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
