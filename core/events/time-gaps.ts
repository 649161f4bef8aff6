import type { RecordedGap } from './gap.ts'
import type { LoggedEvent } from './platform-event.ts'
import type { ConnectorReport } from '../status/connector-report.ts'

/**
 * Why events of a time may be missing from a domain's list: a link to the engine was lost, or the engine began anew, or
 * who listened ended; events were read and had to be dropped or were lost with a disk, or could not be read; the domain had no hook; or several
 * of these, put together because they are too many.
 */
export type TimeGapReason =
  | 'engine_link_lost'
  | 'engine_restarted'
  | 'connector_ended'
  | 'events_dropped'
  | 'events_unreadable'
  | 'no_hook'
  | 'several'

/** A time, epoch milliseconds, in which events may have been missed. */
export interface TimeGap {
  readonly kind: 'time'
  readonly reason: TimeGapReason
  readonly from: number
  readonly to: number
}

/** The most time gaps that are told one by one. */
const timeGapLimit = 100

/** A hook that was made takes effect within so long. */
const inForceMs = 2_000

/** Clocks of connectors and engines differ by less. */
const slackMs = 1_000

const reasons: ReadonlyMap<string, TimeGapReason> = new Map<string, TimeGapReason>([
  ['engine-restarted', 'engine_restarted'],
  ['connector-killed', 'connector_ended'],
  ['connector-stopped', 'connector_ended'],
  ['dropped', 'events_dropped'],
  ['spool-lost', 'events_dropped'],
  ['unreadable', 'events_unreadable'],
])

/**
 * A gap as tenants see it. It may concern any of them, so nothing is told of the engine, of who missed what, nor how
 * many events were dropped, which may all have been of others. Any other reason than the known ones is a link's own
 * word for its loss. The times of events are the engine's, and those of a gap partly a connector's: so that the gap covers
 * the times of all events that it stands for, it is told wider by the difference that clocks may have.
 */
export function engineGap({ reason, from, to }: Pick<RecordedGap, 'reason' | 'from' | 'to'>): TimeGap {
  return { kind: 'time', reason: reasons.get(reason) ?? 'engine_link_lost', from: from - slackMs, to: to + slackMs }
}

/** The time before an event in which the domain may have had no hook in force; none before its first event. */
export function hooklessGap({ unwatched }: Pick<LoggedEvent, 'unwatched'>): TimeGap | undefined {
  if (unwatched === undefined || unwatched.from === 0) return undefined
  return { kind: 'time', reason: 'no_hook', from: unwatched.from, to: unwatched.to + inForceMs }
}

/**
 * Whether another connector listened to the engine all the time and kept what it read, so that nothing was missed: two
 * that were killed together do not speak for each other. What was read and then lost (dropped, unreadable, gone with a
 * disk) nobody else makes good; whoever recorded it knows that.
 */
export function isHeardByOthers(gap: RecordedGap, reports: readonly ConnectorReport[]): boolean {
  if (gap.engine === '' || gap.dropped !== undefined || gap.reason === 'spool-lost') return false
  const others = reports.filter(({ connectorId }) => connectorId !== gap.connectorId)
  return others.some(({ stoppedAt, reportedAt, eventLinks = [] }) =>
    eventLinks.some(({ engine, upSince, keptTo = stoppedAt ?? reportedAt }) => {
      const hasListened = upSince > 0 && upSince <= gap.from - slackMs
      return engine === gap.engine && hasListened && Math.min(keptTo, stoppedAt ?? reportedAt) >= gap.to
    }),
  )
}

/** At most {@link timeGapLimit} gaps in the order of their beginnings; above that the earliest are put together. */
export function fewGaps(gaps: readonly TimeGap[]): TimeGap[] {
  const sorted = gaps.toSorted((a, b) => a.from - b.from || a.to - b.to)
  const many = sorted.slice(0, Math.max(0, sorted.length - timeGapLimit + 1))
  const [first] = many
  if (first === undefined || many.length < 2) return sorted
  const to = many.reduce((latest, gap) => Math.max(latest, gap.to), first.to)
  return [{ kind: 'time', reason: 'several', from: first.from, to }, ...sorted.slice(many.length)]
}
