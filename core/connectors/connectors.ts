import type { ConnectorReport, EngineReport, EventLinkReport, EventPosition } from './connector-report.ts'

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

/**
 * The history of one connector with one engine, by its last report: from when to when it listened, and up to where it
 * kept what it heard. Gaps, made-up ends, and the wait for other connectors are all judged by this. Moments are epoch
 * milliseconds.
 */
export interface Listening {
  readonly connectorId: string
  readonly engine: string
  /** The newest event that it heard, and the process of the engine that sent it. */
  readonly last: EventPosition
  /** Since when its link has been up without a break; absent while the link is down. */
  readonly since: number | undefined
  /** When its link was lost, or the first loss that is not on record yet; absent when there is none. */
  readonly lostAt: number | undefined
  /** When its last report was written, and whether it has begun to stop. */
  readonly reportedAt: number
  readonly hasStopped: boolean
  /** Its last sign of life: its last report, or the beginning of its stop. */
  readonly aliveAt: number
  /** Up to when it heard all that is not on record as missed. */
  readonly heardTo: number
  /** Up to when everything that the engine sent was heard, and was queued or written to disk. */
  readonly keptTo: number
  /** Up to when everything that it read was queued. */
  readonly handedOverTo: number
}

/** Returns the history of every connector with an engine, and none for a connector that never reached it. */
export function listenings(reports: readonly ConnectorReport[], engine: string): Listening[] {
  return reports.flatMap((report) =>
    report.eventLinks.filter((link) => link.engine === engine).map((link) => listeningOf(report, link)),
  )
}

/** Returns the history that a report states for one of its links. */
export function listeningOf(report: ConnectorReport, link: EventLinkReport): Listening {
  const aliveAt = lastAlive(report)
  const heardTo = Math.min(aliveAt, link.lostAt ?? Infinity)
  return {
    connectorId: report.connectorId,
    engine: link.engine,
    last: link.last,
    since: link.upSince > 0 ? link.upSince : undefined,
    lostAt: link.lostAt,
    reportedAt: report.reportedAt,
    hasStopped: report.stoppedAt !== undefined,
    aliveAt,
    heardTo,
    keptTo: Math.min(lastKept(report), heardTo, link.keptTo ?? Infinity),
    handedOverTo: report.handedOverTo,
  }
}

/** Returns whether a connector has been connected without interruption since a moment or earlier. */
export function hasListenedSince({ since }: Pick<Listening, 'since'>, moment: number): boolean {
  return since !== undefined && since <= moment
}

/** Returns the last sign of life of a connector. */
export function lastAlive({ stoppedAt, reportedAt }: ConnectorReport): number {
  return stoppedAt ?? reportedAt
}

/**
 * Returns the moment up to which a connector that is gone had queued or written to disk all that it had read. What one
 * that was killed read later belongs to the gap of its death. One that stopped has put on its disk what it had.
 */
export function lastKept({ stoppedAt, reportedAt, handedOverTo, keptTo }: ConnectorReport): number {
  return stoppedAt ?? Math.min(reportedAt, Math.max(handedOverTo, keptTo))
}
