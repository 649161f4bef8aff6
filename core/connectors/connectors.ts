import type { ConnectorReport, EngineReport } from './connector-report.ts'

/** The contract's most for the age of a status: a connector that has not reported for this long counts as silent. */
export const reportLifeMs = 15_000

/** Connectors report every 5 s: one that missed two reports is not relied on for work. */
export const reliedOnMs = 12_000

/** An engine that was not heard from for longer counts as offline, by the contract. */
const heardLifeMs = 30_000

/** Returns the reports of connectors that have not stopped and have reported within `lifeMs`. */
export function freshReports(
  reports: readonly ConnectorReport[],
  now: number,
  lifeMs: number = reportLifeMs,
): ConnectorReport[] {
  return reports.filter(({ reportedAt, stoppedAt }) => stoppedAt === undefined && now - reportedAt <= lifeMs)
}

/**
 * Returns whether a connector's report is recent, and says that its links to an engine are up and that the engine sent
 * something lately.
 */
export function hearsEngine(report: ConnectorReport, now: number): boolean {
  return freshReports([report], now).length > 0 && report.engines.some((engine) => isHeard(engine, now))
}

/**
 * Returns every engine of the recent reports once, as reported by the connector with the best links to it: `connected`
 * if one has both links up and received anything lately. In the order of the connectors' settings.
 */
export function engineViews(reports: readonly ConnectorReport[], now: number): EngineReport[] {
  const views = new Map<string, EngineReport>()
  for (const engine of freshReports(reports, now).flatMap(({ engines }) => engines)) {
    const report = { ...engine, connected: isHeard(engine, now) }
    const known = views.get(engine.name)
    const isBetter = known === undefined || (report.connected && !(known.connected && known.status !== ''))
    if (isBetter) views.set(engine.name, report)
  }
  return [...views.values()]
}

/**
 * Returns since when connectors have listened to each engine without a break, by its name, epoch milliseconds: of
 * several connectors, the one that began first. An engine that none listens to is missing.
 */
export function heardSince(reports: readonly ConnectorReport[], now: number): ReadonlyMap<string, number> {
  const since = new Map<string, number>()
  for (const { engine, upSince } of freshReports(reports, now).flatMap(({ eventLinks }) => eventLinks)) {
    if (upSince > 0) since.set(engine, Math.min(upSince, since.get(engine) ?? upSince))
  }
  return since
}

function isHeard({ connected, heardAt }: EngineReport, now: number): boolean {
  return connected && now - heardAt <= heardLifeMs
}
