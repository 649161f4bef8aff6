import type { ConnectorReport } from '../model.ts'
import type { PortsOf } from '../ports.ts'
import { hearsEngine, reportLifeMs } from './connectors.ts'

/** The ports of {@link readStatus}. */
export type StatusPorts = PortsOf<{
  readonly connectorStatus: readonly ['list']
  readonly sessions: readonly ['count']
}>

/** Users count as active for this long after their last request. */
const sessionMs = 15 * 60_000

/** The part of the status report that the stores tell. */
export interface PlatformStatus {
  readonly userSessions: number
  readonly maxUserSessions: number
  readonly domainSessions: number
  /** Seconds since the connector started; absent when none reports. */
  readonly connectorUpTimeSec: number | undefined
  readonly wConsole: {
    readonly status: 'Connected' | 'Offline'
    readonly apiQueue: number
    readonly cmdQueue: number
    readonly version: string
    readonly sid: string
  }
  readonly crashCount: string
  /** The engine's own status text, or `engine not connected`. */
  readonly freeSWITCH: string
}

/**
 * What sessions, connectors and engine are doing at `now` (epoch milliseconds). Of several connectors the one that
 * hears the engine speaks for all, and their queues are added up. Complete also when no connector reports.
 */
export async function readStatus({ connectorStatus, sessions }: StatusPorts, now: number): Promise<PlatformStatus> {
  const [listed, active] = await Promise.all([
    connectorStatus.list(now - reportLifeMs),
    sessions.count(now - sessionMs),
  ])
  const reports = listed.filter(({ reportedAt }) => now - reportedAt <= reportLifeMs)
  const connected = reports.find((report) => hearsEngine(report, now))
  const speaker = connected ?? reports[0]
  return {
    userSessions: active.users,
    maxUserSessions: active.highest,
    domainSessions: active.domains,
    connectorUpTimeSec: speaker && Math.max(0, (now - speaker.startedAt) / 1000),
    wConsole: {
      status: connected === undefined ? 'Offline' : 'Connected',
      apiQueue: sum(reports, ({ commandsInFlight }) => commandsInFlight),
      cmdQueue: sum(reports, ({ commandsWaiting }) => commandsWaiting),
      version: speaker?.version ?? '',
      sid: speaker?.engineId ?? '',
    },
    crashCount: String(Math.max(0, ...reports.map(({ restarts }) => restarts))),
    freeSWITCH: connected?.engineStatus || 'engine not connected',
  }
}

function sum(reports: readonly ConnectorReport[], of: (report: ConnectorReport) => number): number {
  return reports.reduce((total, report) => total + of(report), 0)
}
