import type { Log } from '../../adapters/log/logger.ts'
import type { ConnectorReport } from '../../core/connectors/connector-report.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import type { HeldCalls } from './held-calls.ts'

/** Connectors report this often. */
const againMs = 5_000

/** Reports are kept for a day. */
const reportsMs = 24 * 60 * 60_000

export interface PeerReportsDeps extends Time {
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly works: readonly { readonly engine: { readonly name: string }; readonly held: HeldCalls }[]
  readonly log: Log
}

/**
 * While there is an engine that this process knows nothing of, because it was away at its start, looks every 5 s until
 * aborted whether another connector has reported its channels. So one that starts while an empty engine is away for
 * maintenance can give lists as the others do.
 */
export async function readPeerReports(
  { store, works, log, clock, timers }: PeerReportsDeps,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pause(timers, againMs, signal)
    const unknown = works.filter(({ held }) => held.count === undefined)
    if (signal.aborted || unknown.length === 0) continue
    try {
      const reports = await store.list(clock.now() - reportsMs)
      for (const { engine, held } of unknown) if (wasLeftEmpty(reports, engine.name)) held.reportedEmpty()
    } catch (problem) {
      log.warn('the reports of other connectors cannot be read', {
        reason: problem instanceof Error ? problem.name : '',
      })
    }
  }
}

/** Whether the report that heard an engine last has lost it since, and it was without channels. */
function wasLeftEmpty(reports: readonly ConnectorReport[], name: string): boolean {
  const views = reports.flatMap(({ engines }) => engines?.filter((engine) => engine.name === name) ?? [])
  const latest = views.reduce(
    (best, view) => (best !== undefined && best.heardAt >= view.heardAt ? best : view),
    views[0],
  )
  return latest !== undefined && !latest.connected && latest.channels === 0
}
