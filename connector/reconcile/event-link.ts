import type { EventLinkReport, EventPosition } from '../../core/status/connector-report.ts'
import type { EngineEvent } from '../engine.ts'
import { nowhere, positionOf } from './event-position.ts'
import type { GapFound } from './gap-log.ts'
import { type MissedTime, MissedTimes } from './missed-times.ts'
import { ReadMarks } from './read-marks.ts'

/** A gap of which the first event after it is still to come. */
interface OpenGap {
  readonly found: Omit<GapFound, 'after'>
  readonly missed: MissedTime
  readonly cancel: () => void
}

/** Events that came and could not be read. */
interface Unread {
  readonly from: number
  readonly before: EventPosition
  readonly missed: MissedTime
  readonly cancel: () => void
  count: number
}

/** What is known of the event link of one engine; times are epoch milliseconds, 0 before there is one. */
export interface EventLink {
  last: EngineEvent | undefined
  lastAt: number
  core: string
  upSince: number
  firstUpAt: number
  lost: { readonly from: number; readonly reason: string; readonly missed: MissedTime } | undefined
  open: OpenGap | undefined
  unread: Unread | undefined
  /** When unreadable events were last told of. */
  unreadToldAt: number
  readonly missed: MissedTimes
  readonly marks: ReadMarks
}

/** A link that has never been up. */
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
    unreadToldAt: 0,
    missed: new MissedTimes(),
    marks: new ReadMarks(),
  }
}

/** Which event of a link came last. */
export function lastOf({ last }: EventLink): EventPosition {
  return last === undefined ? nowhere : positionOf(last)
}

/**
 * What others are told of a link. All that was read before `queuedTo` has been queued; the first of its gaps that were
 * told of and are not stored begins at `unstoredFrom`, if there is one. Both are epoch milliseconds.
 */
export function reportOf(engine: string, link: EventLink, queuedTo: number, unstoredFrom = Infinity): EventLinkReport {
  const { last, core, upSince, lost, open, unread, marks } = link
  const handedOverTo = marks.engineTimeBefore(queuedTo)
  const lostAt = Math.min(unstoredFrom, ...[lost, open?.found, unread].map((gap) => gap?.from ?? Infinity))
  return {
    engine,
    last: last === undefined ? { ...nowhere, coreUuid: core } : positionOf(last),
    upSince,
    ...(lostAt === Infinity ? {} : { lostAt }),
    ...(handedOverTo === undefined ? {} : { handedOverTo }),
  }
}
