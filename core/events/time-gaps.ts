import type { RecordedGap } from './gap.ts'
import type { LoggedEvent } from './platform-event.ts'
import type { ConnectorReport } from '../connectors/connector-report.ts'
import { hasListenedSince, listenings } from '../connectors/connectors.ts'

/**
 * Why events of a time may be missing from a domain's list: a link to the engine was lost, the engine restarted, or the
 * process that listened ended; events that were read were dropped, or lost with a disk or a queue, or could not be
 * read; the domain had no hook; or several of these, merged because they are too many.
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
  ['queue-lost', 'events_dropped'],
  ['unreadable', 'events_unreadable'],
])

/**
 * Returns a gap as tenants see it. It may concern any of them, so it reveals nothing of the engine or the connector,
 * nor how many events were dropped, which may all have belonged to other tenants. Any reason other than the known ones
 * is a link's own text about its loss, and becomes `engine_link_lost`. The times of events come from the engine's
 * clock, and those of a gap partly from a connector's. So the gap is widened by the possible difference of the clocks,
 * to cover all its events.
 */
export function engineGap({ reason, from, to }: Pick<RecordedGap, 'reason' | 'from' | 'to'>): TimeGap {
  return {
    kind: 'time',
    reason: reasons.get(reason) ?? 'engine_link_lost',
    from: Math.floor(from - slackMs),
    to: Math.ceil(to + slackMs),
  }
}

/** Returns the time before an event in which the domain may have had no hook in force; none before its first event. */
export function hooklessGap({ unwatched }: Pick<LoggedEvent, 'unwatched'>): TimeGap | undefined {
  if (unwatched === undefined || unwatched.from === 0) return undefined
  return { kind: 'time', reason: 'no_hook', from: unwatched.from, to: unwatched.to + inForceMs }
}

/**
 * Returns whether another connector listened to the engine all the time and kept the events, so that nothing was
 * missed. Two connectors that were killed together do not vouch for each other. Events that were read and then lost
 * (dropped, unreadable, gone with a disk) cannot be repaired by another connector; the recorder of the gap knows that.
 */
export function isHeardByOthers(gap: RecordedGap, reports: readonly ConnectorReport[]): boolean {
  if (gap.engine === '' || gap.dropped !== undefined || gap.reason === 'spool-lost') return false
  return listenings(reports, gap.engine).some(
    (other) =>
      other.connectorId !== gap.connectorId && hasListenedSince(other, gap.from - slackMs) && other.keptTo >= gap.to,
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
