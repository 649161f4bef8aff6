import type { Log } from '../../adapters/log/logger.ts'
import type { ConnectorReport } from '../../core/connectors/connector-report.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'
import type { HeldCalls } from './held-calls.ts'

const againMs = 5_000

/** An engine that a peer heard within this time before we started counts as reachable. */
const heardBeforeMs = 30_000

const reportsMs = 24 * 60 * 60_000

export interface PeerReportsDeps extends Time {
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly works: readonly { readonly engine: { readonly name: string }; readonly held: HeldCalls }[]
  readonly connectorId: string
  /** When this connector started, epoch milliseconds. */
  readonly startedAt: number
  /** Receives the engines that this connector has never reached and another one still heard when this one started. */
  readonly onOutOfReach: (engines: readonly string[]) => void
  readonly log: Log
}

/**
 * Reads the reports of other connectors every 5 s until aborted, while this process has never been connected to an
 * engine because it was away at the start. So a connector that starts while an empty engine is away for maintenance can
 * return lists as the others do. An engine that the others reached at the same time is out of reach of this connector
 * only.
 */
export async function readPeerReports(
  { store, works, connectorId, startedAt, onOutOfReach, log, clock, timers }: PeerReportsDeps,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await pause(timers, againMs, signal)
    const unknown = works.filter(({ held }) => held.count === undefined)
    if (signal.aborted) continue
    if (unknown.length === 0) {
      onOutOfReach([])
      continue
    }
    try {
      const reports = await store.list(clock.now() - reportsMs)
      const heard = heardSince(reports, connectorId, startedAt - heardBeforeMs)
      onOutOfReach(unknown.map(({ engine }) => engine.name).filter((name) => heard.has(name)))
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
  const views = reports.flatMap(({ engines }) => engines.filter((engine) => engine.name === name))
  const latest = views.reduce(
    (best, view) => (best !== undefined && best.heardAt >= view.heardAt ? best : view),
    views[0],
  )
  return latest !== undefined && !latest.connected && latest.channels === 0
}

function heardSince(reports: readonly ConnectorReport[], connectorId: string, moment: number): ReadonlySet<string> {
  const views = reports.filter((report) => report.connectorId !== connectorId).flatMap(({ engines }) => engines)
  return new Set(views.filter(({ heardAt }) => heardAt >= moment).map(({ name }) => name))
}
