import type { ConnectorReport } from '../../core/model.ts'
import type { Clock, ConnectorStatusStore } from '../../core/ports.ts'

/** Reports come every 5 s: of whoever listened and has not reported for so long after a link came up, none will come. */
const silenceMs = 7_000

/** Clocks of two hosts differ by this much at most, and what is on its way between an engine and another host. */
export const slackMs = 1_000

/** What the other connectors are known by. */
export interface OthersBehindParts {
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly connectorId: string
  readonly clock: Clock
}

/** Whether another connector may still hand over what it read before a link of this one came up, at `linkedAt`. */
export async function mayHandOver(
  { store, connectorId, clock }: OthersBehindParts,
  engine: string,
  linkedAt: number,
): Promise<boolean> {
  try {
    const reports = await store.list(linkedAt - silenceMs)
    const others = reports.filter((report) => report.connectorId !== connectorId && report.stoppedAt === undefined)
    return others.some((report) => listenedBefore(report, engine, linkedAt) && isBehind(report, linkedAt, clock.now()))
  } catch {
    // Without the store nothing is known, and whatever happens is told when it is back.
    return clock.now() < linkedAt + silenceMs
  }
}

function listenedBefore({ eventLinks = [] }: ConnectorReport, engine: string, linkedAt: number): boolean {
  return eventLinks.some((link) => link.engine === engine && link.upSince > 0 && link.upSince < linkedAt)
}

/** One that is silent has died: what it read comes from its disk when it is started again. */
function isBehind({ reportedAt, handedOverTo = reportedAt }: ConnectorReport, linkedAt: number, now: number): boolean {
  if (handedOverTo >= linkedAt + slackMs) return false
  return reportedAt >= now - silenceMs
}
