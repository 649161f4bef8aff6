import type { Caller } from '../access/token.ts'
import type { ConnectorReport, EngineReport } from '../connectors/connector-report.ts'
import type { ConnectorStatusStore, StageWait } from '../connectors/connector-status-store.ts'
import type { SessionStore } from '../auth/credentials.ts'
import { engineViews, freshReports, hearsEngine, reportLifeMs } from '../connectors/connectors.ts'

/** The ports of {@link readStatus}. */
export interface StatusPorts {
  readonly connectorStatus: Pick<ConnectorStatusStore, 'list' | 'listWaits'>
  readonly sessions: Pick<SessionStore, 'count'>
}

/** Older reports of functions do not count: while messages wait, each reports once in half a minute. */
const waitLifeMs = 60_000

/** Users count as active for this long after their last request. */
const sessionMs = 15 * 60_000

/** The part of the status report that comes from the stores. */
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
    /** The `Core-UUID` of the engine; of several, of each that is connected, comma-separated. */
    readonly sid: string
  }
  readonly crashCount: string
  /**
   * The engine's own status text, or `engine not connected`. Of several engines, each under a line with its name, as
   * soon as one is connected.
   */
  readonly freeSWITCH: string
  /** The age of the event that waits longest in a connector, in seconds; only for callers without a domain. */
  readonly eventLagSec?: number
  /** How long the oldest event of each later stage waited, in seconds; only for callers without a domain. */
  readonly eventWaitsSec?: {
    readonly hookDispatch: number
    readonly deliver: number
    readonly deliverSlowly: number
  }
}

/**
 * Reads the current state of sessions, connectors and engine at `now` (epoch milliseconds). A caller that is bound to a
 * domain gets the sessions and commands of that domain, no lag of events, which is that of all tenants, and the
 * engine's text without the lines that count all sessions. If several connectors report an engine, the one that hears
 * it best counts; their queues are added up. Connected means that at least one engine is usable. The result is complete
 * also when no connector reports.
 */
export async function readStatus(
  { connectorStatus, sessions }: StatusPorts,
  { domain, domainCreatedAt }: Pick<Caller, 'domain' | 'domainCreatedAt'>,
  now: number,
): Promise<PlatformStatus> {
  const since = Math.max(now - sessionMs, domainCreatedAt ?? 0)
  const [listed, active, waits] = await Promise.all([
    connectorStatus.list(now - reportLifeMs),
    sessions.count(since, domain ?? undefined),
    domain === null ? connectorStatus.listWaits(now - waitLifeMs) : [],
  ])
  const reports = freshReports(listed, now)
  const speaker = reports.find((report) => hearsEngine(report, now)) ?? reports[0]
  const engines = engineViews(reports, now)
  const queued = commandsShownTo(domain, reports)
  const connected = engines.filter((engine) => engine.connected)
  return {
    userSessions: active.users,
    maxUserSessions: active.highest,
    domainSessions: domain === null ? active.domains : 1,
    connectorUpTimeSec: speaker && Math.max(0, (now - speaker.startedAt) / 1000),
    wConsole: {
      status: connected.length === 0 ? 'Offline' : 'Connected',
      apiQueue: queued.inFlight,
      cmdQueue: queued.waiting,
      version: speaker?.version ?? '',
      sid: idsOf(connected.length > 0 ? connected : engines),
    },
    crashCount: String(Math.max(0, ...reports.map(({ restarts }) => restarts))),
    freeSWITCH: connected.length === 0 ? notConnected : shownTo(domain, engines.map(statusOf).join('\n')),
    ...(domain === null ? { eventLagSec: eventLagOf(reports), eventWaitsSec: waitsOf(waits) } : {}),
  }
}

function eventLagOf(reports: readonly ConnectorReport[]): number {
  const lagsMs = reports.map(({ reportedAt, handedOverTo }) => reportedAt - handedOverTo)
  return Math.max(0, ...lagsMs) / 1000
}

function waitsOf(waits: readonly StageWait[]) {
  const secondsOf = (name: string) => (waits.find(({ stage }) => stage === name)?.ageMs ?? 0) / 1000
  const deliver = secondsOf('deliver')
  return { hookDispatch: secondsOf('hookDispatch'), deliver, deliverSlowly: deliver }
}

const notConnected = 'engine not connected'

/** The engine counts sessions, their peak and their rate in lines such as `3 session(s) since startup`. */
const countsSessions = /\bsession\(s\)/

function shownTo(domain: string | null, text: string): string {
  if (domain === null) return text
  return text
    .split('\n')
    .filter((line) => !countsSessions.test(line))
    .join('\n')
}

function statusOf({ name, connected, status }: EngineReport, _index: number, all: readonly EngineReport[]): string {
  const text = connected ? status || 'engine connected, its status text is not known yet' : notConnected
  return all.length === 1 ? text : `${name}\n${text}`
}

/** A process of an engine that two addresses lead to is named once. */
function idsOf(engines: readonly EngineReport[]): string {
  const ids = engines.flatMap(({ coreUuid }) => (coreUuid === '' ? [] : coreUuid))
  return [...new Set(ids)].join(',')
}

/** Root sees all commands, a tenant those of its own domain: how busy others are is not its business. */
function commandsShownTo(domain: string | null, reports: readonly ConnectorReport[]) {
  const shown =
    domain === null
      ? reports.map(({ commandsInFlight: inFlight, commandsWaiting: waiting }) => ({ inFlight, waiting }))
      : reports.flatMap(({ commandsByDomain }) => commandsByDomain.filter((each) => each.domain === domain))
  return shown.reduce(
    (sum, { inFlight, waiting }) => ({ inFlight: sum.inFlight + inFlight, waiting: sum.waiting + waiting }),
    { inFlight: 0, waiting: 0 },
  )
}
