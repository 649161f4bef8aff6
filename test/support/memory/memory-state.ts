import type { CommandRecord, PendingUnregistration } from '../../../core/commands/commands.ts'
import type { ErasureJob } from '../../../core/erasures/erasure.ts'
import type { ExportJob } from '../../../core/cdr/exports/export-job.ts'
import type { KeptCdr } from '../../../core/cdr/merge-cdr.ts'
import type { EmailSettings } from '../../../core/email/email-settings.ts'
import type { DomainVersion } from '../../../core/domains/domain-version.ts'
import type { RequestKey } from '../../../core/requests/idempotency-key.ts'
import type { DomainRoles } from '../../../core/access/custom-role.ts'
import type { Account } from '../../../core/accounts/account.ts'
import type { Presence } from '../../../core/accounts/presence.ts'
import type { AuditRecord } from '../../../core/audit/audit-log.ts'
import type { LoginFailure, LoginUser } from '../../../core/auth/login-throttle.ts'
import type { DomainToken, Token } from '../../../core/access/token.ts'
import type { BlacklistEntry } from '../../../core/blacklists/blacklist-entry.ts'
import type { DeletedDomain, Domain } from '../../../core/domains/domain.ts'
import type { RecordedGap } from '../../../core/events/gap.ts'
import type { LoggedEvent } from '../../../core/events/platform-event.ts'
import type { Delivery, DeliveryEvent } from '../../../core/hooks/delivery/delivery.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import type { GatewayState } from '../../../core/gateways/gateway-state.ts'
import type { Gateway } from '../../../core/gateways/gateway.ts'
import type { StoredRoute } from '../../../core/default-routes/stored-route.ts'
import type { StageWait } from '../../../core/connectors/connector-status-store.ts'
import type { ConnectorReport } from '../../../core/connectors/connector-report.ts'
import type { LeftRecordings } from '../../../core/recordings/recording-store.ts'
import type { Recording } from '../../../core/recordings/recording.ts'
import type { Clock, Randomness } from '../../../core/time.ts'
import type { StoredLeg } from './memory-known-call-store.ts'

/** A failed login; the id distinguishes an attempt that is under way from others of the same moment. */
export interface KeptFailure extends LoginFailure {
  readonly id: string
}

/** The log of a domain: its highest number and when it was given, what is kept, and the number of each event. */
export interface EventLogState {
  head: number
  loggedAt: number
  /** The time without a hook that no entry shows yet. */
  unwatched: LoggedEvent['unwatched']
  readonly events: LoggedEvent[]
  readonly numbers: Map<string, { readonly sequence: number; readonly loggedAt: number }>
}

/**
 * All that the memory adapters keep. Maps are keyed by {@link memoryKey}; a record in them is never changed in place,
 * but for the log of a domain.
 */
export interface MemoryState {
  readonly domains: Map<string, Domain>
  readonly deletedDomains: Map<string, DeletedDomain>
  readonly roles: Map<string, DomainRoles>
  readonly accounts: Map<string, Account>
  readonly tokens: Map<string, Token>
  readonly domainTokens: Map<string, DomainToken>
  /** Username to when it was last active. */
  readonly sessions: Map<string, { readonly username: string; readonly domain: string; readonly at: number }>
  /** Username and network to when they were first seen together. */
  readonly networks: Map<string, number>
  readonly highestSessions: Map<string, number>
  /** Throttle key to its failures. */
  readonly failures: Map<string, readonly KeptFailure[]>
  /** Users' networks to when they last logged in from there. */
  readonly loginNetworks: Map<string, LoginUser & { readonly network: string; readonly at: number }>
  readonly presence: Map<string, Presence>
  readonly commands: Map<string, CommandRecord>
  /** Chosen uuid to the channel that the engine made. */
  /** Drops that engines owe, by all of their parts. */
  readonly pendingUnregistrations: Map<string, { readonly drop: PendingUnregistration; readonly notedAt: number }>
  readonly aliases: Map<string, { readonly actual: string; readonly notedAt: number }>
  readonly hooks: Map<string, Hook>
  readonly blacklists: Map<string, BlacklistEntry>
  readonly routes: Map<string, StoredRoute>
  /** Domain to the edition of its routes. */
  readonly routeEditions: Map<string, { readonly domain: string; readonly edition: number }>
  readonly publicRoutes: Map<string, StoredRoute>
  readonly publicRouteEditions: Map<string, { readonly domain: string; readonly edition: number }>
  readonly subscriptions: { version: number }
  readonly deliveries: Map<string, Delivery>
  /** Keys of pending deliveries that are not in the index of due ones. */
  readonly unlistedDeliveries: Set<string>
  /** Domain and id of an event to what its deliveries carry. */
  readonly deliveryEvents: Map<
    string,
    { readonly domain: string; readonly event: DeliveryEvent; readonly keptAt: number }
  >
  readonly connectors: Map<string, ConnectorReport>
  readonly stageWaits: Map<string, StageWait>
  readonly connectorStarts: { count: number }
  readonly gaps: Map<string, RecordedGap>
  /** Domain to its log. */
  readonly eventLogs: Map<string, EventLogState>
  readonly requestKeys: Map<string, RequestKey>
  /** Key of an allowance to the moment at which it is whole again. */
  readonly buckets: Map<string, number>
  /** Key of an allowance to its uses that may still count. */
  readonly windows: Map<string, readonly number[]>
  /** Key of an allowance to the places that are taken and the ends of their leases. */
  readonly places: Map<string, Map<string, number>>
  readonly knownCalls: Map<string, StoredLeg>
  readonly emailSettings: Map<string, EmailSettings>
  readonly domainVersions: Map<string, DomainVersion>
  readonly gateways: Map<string, Gateway>
  readonly gatewayStates: Map<string, GatewayState>
  readonly cdrs: Map<string, KeptCdr>
  readonly recordings: Map<string, Recording>
  readonly leftRecordings: Map<string, LeftRecordings>
  readonly exports: Map<string, ExportJob>
  readonly erasures: Map<string, ErasureJob>
  /** Domain and id of a removed call or event to when the mark ends. */
  readonly erasedMarks: Map<string, number>
  readonly audit: AuditRecord[]
}

/** The state of memory adapters. Adapters that share one see each other's writes. */
export interface MemoryContext {
  readonly clock: Clock
  readonly random: Randomness
  readonly state: MemoryState
}

/** An empty state. */
export function memoryState(): MemoryState {
  return {
    domains: new Map(),
    deletedDomains: new Map(),
    roles: new Map(),
    accounts: new Map(),
    tokens: new Map(),
    domainTokens: new Map(),
    sessions: new Map(),
    networks: new Map(),
    highestSessions: new Map(),
    failures: new Map(),
    loginNetworks: new Map(),
    presence: new Map(),
    commands: new Map(),
    pendingUnregistrations: new Map(),
    aliases: new Map(),
    hooks: new Map(),
    blacklists: new Map(),
    routes: new Map(),
    routeEditions: new Map(),
    publicRoutes: new Map(),
    publicRouteEditions: new Map(),
    subscriptions: { version: 0 },
    deliveries: new Map(),
    unlistedDeliveries: new Set(),
    deliveryEvents: new Map(),
    connectors: new Map(),
    stageWaits: new Map(),
    connectorStarts: { count: 0 },
    gaps: new Map(),
    eventLogs: new Map(),
    requestKeys: new Map(),
    buckets: new Map(),
    windows: new Map(),
    places: new Map(),
    knownCalls: new Map(),
    emailSettings: new Map(),
    domainVersions: new Map(),
    gateways: new Map(),
    gatewayStates: new Map(),
    cdrs: new Map(),
    recordings: new Map(),
    leftRecordings: new Map(),
    exports: new Map(),
    erasures: new Map(),
    erasedMarks: new Map(),
    audit: [],
  }
}

/** One key from several parts; no two lists of parts give the same key. */
export function memoryKey(...parts: readonly string[]): string {
  return JSON.stringify(parts)
}

/** Orders text by its UTF-16 code units, as the stores order their ASCII keys. */
export function byText<T>(textOf: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => {
    const [left, right] = [textOf(a), textOf(b)]
    return left < right ? -1 : Number(left > right)
  }
}
