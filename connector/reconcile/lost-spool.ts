import type { ConnectorReport } from '../../core/connectors/connector-report.ts'
import { hasListenedSince, lastKept, listenings } from '../../core/connectors/listening.ts'

/** A process that is started again in its task has looked through its disk by then, and reported. */
const takenOverMs = 120_000

/** The fate of events that waited in the spool of a connector that ended. */
export type SpoolFate = 'handed over by others' | 'not known yet' | { readonly from: number; readonly to: number }

/**
 * Returns whether events of an engine on the disk of a connector that is gone are lost. They are if no connector has
 * reported within two minutes that it took them over, and no other connector has handed over what it read at that time.
 * A later process on the same machine proves nothing, since containers of one host have disks of their own. Lost events
 * are returned with the time in which they were read, epoch milliseconds, by the last report of the connector. Events
 * that were read after a stop had begun belong to the gap of the stop.
 */
export function spoolFate(
  gone: ConnectorReport,
  engine: string,
  others: readonly ConnectorReport[],
  now: number,
): SpoolFate {
  const { reportedAt, stoppedAt: to = reportedAt, handedOverTo: from, spool } = gone
  if (from >= lastKept(gone)) return 'handed over by others'
  if (others.some((other) => spool !== undefined && other.spool?.taken.includes(spool.owner) === true)) {
    return 'handed over by others'
  }
  const later = listenings(others, engine).filter((one) => hasListenedSince(one, from) && one.reportedAt >= to)
  if (later.some(({ handedOverTo }) => handedOverTo >= to)) return 'handed over by others'
  const mayCatchUp = later.some((one) => one.reportedAt >= now - 30_000)
  return mayCatchUp || now < reportedAt + takenOverMs ? 'not known yet' : { from, to }
}
