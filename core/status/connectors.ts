import type { ConnectorReport } from '../model.ts'

/** A connector that has not reported for this long counts as silent, and an engine not heard from as offline. */
export const reportLifeMs = 30_000

/** Whether a connector's own report is fresh, its link is up, and the engine was heard on it lately. */
export function hearsEngine(report: ConnectorReport, now: number): boolean {
  const isFresh = now - report.reportedAt <= reportLifeMs
  return isFresh && report.engineConnected && now - report.engineHeardAt <= reportLifeMs
}
