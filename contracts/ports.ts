/**
 * Everything the platform's rules need from outside. A port is a role; each has at least one
 * adapter, and one in memory for tests (test/support/memory), held to one contract suite. "Not found" is `undefined`;
 * an outage is a `DomainError` with `store_unavailable`; no other error crosses a port.
 */
import type { CdrAdmin } from '../core/cdr/cdr-admin.ts'
import type { CdrStore } from '../core/cdr/cdr-store.ts'
import type { ExportQueue, ExportStore } from '../core/cdr/exports/export-job.ts'
import type { CdrQueue } from '../core/cdr/cdr-update.ts'
import type { FileStore } from '../core/recordings/file-store.ts'
import type { RecordingStore } from '../core/recordings/recording-store.ts'
import type { DomainStore, TenantData } from '../core/domains/domain-store.ts'
import type { CleanupQueue } from '../core/domains/cleanup-queue.ts'
import type { DomainTokenStore } from '../core/domains/domain-token-store.ts'
import type { DomainVersionStore } from '../core/domains/domain-version-store.ts'
import type { RoleStore } from '../core/access/role-store.ts'
import type { AccountStore } from '../core/accounts/account-store.ts'
import type { PresenceStore } from '../core/accounts/presence.ts'
import type { TokenStore } from '../core/auth/token-store.ts'
import type { CredentialReader, SessionStore } from '../core/auth/credentials.ts'
import type { LoginThrottle } from '../core/auth/login-throttle.ts'
import type { PasswordHasher, SecretReader, SecretBox } from '../core/secrets.ts'
import type { CallEngine } from '../core/commands/call-engine.ts'
import type { CommandStore } from '../core/commands/command-store.ts'
import type { KnownCallStore } from '../core/channels/known-call-store.ts'
import type { EventSink } from '../core/events/event-sink.ts'
import type { ReceivedEvents } from '../core/events/received-events.ts'
import type { EventLog } from '../core/events/event-log.ts'
import type { EventLogWriter } from '../core/hooks/delivery/event-log-writer.ts'
import type { GapStore } from '../core/events/gap-store.ts'
import type { HookStore, SubscriptionReader } from '../core/hooks/definition/hook-store.ts'
import type { DeliveryStore } from '../core/hooks/delivery/delivery-store.ts'
import type { DeliveryQueue } from '../core/hooks/delivery/delivery-queue.ts'
import type { HookClient } from '../core/hooks/request/hook-client.ts'
import type { BlacklistStore } from '../core/blacklists/blacklist-store.ts'
import type { RouteStore } from '../core/default-routes/route-store.ts'
import type { GatewayStateStore } from '../core/gateways/gateway-state-store.ts'
import type { GatewayStore } from '../core/gateways/gateway-store.ts'
import type { ConnectorStatusStore } from '../core/connectors/connector-status-store.ts'
import type { AuditLog } from '../core/audit/audit-log.ts'
import type { IdempotencyStore } from '../core/requests/idempotency-key.ts'
import type { RateLimitStore } from '../core/requests/rate-limit.ts'
import type { ErasureQueue, ErasureStore } from '../core/erasures/erasure.ts'
import type { EventTraces } from '../core/erasures/event-traces.ts'
import type { EmailSettingsStore } from '../core/email/email-settings-store.ts'
import type { MailSender } from '../core/email/mail-sender.ts'

/** Every port by the name that a route's `needs` calls it. */
export interface Ports {
  domains: DomainStore
  tenantData: TenantData
  cleanups: CleanupQueue
  roles: RoleStore
  accounts: AccountStore
  tokens: TokenStore
  domainTokens: DomainTokenStore
  domainVersions: DomainVersionStore
  credentials: CredentialReader
  sessions: SessionStore
  loginThrottle: LoginThrottle
  passwords: PasswordHasher
  secrets: SecretReader
  secretBox: SecretBox
  presence: PresenceStore
  engine: CallEngine
  commands: CommandStore
  events: EventSink
  receivedEvents: ReceivedEvents
  hooks: HookStore
  blacklists: BlacklistStore
  defaultRoutes: RouteStore
  publicRoutes: RouteStore
  gateways: GatewayStore
  gatewayStates: GatewayStateStore
  subscriptions: SubscriptionReader
  deliveries: DeliveryStore
  deliveryQueue: DeliveryQueue
  hookClient: HookClient
  connectorStatus: ConnectorStatusStore
  gaps: GapStore
  eventLog: EventLog
  eventLogWriter: EventLogWriter
  audit: AuditLog
  idempotency: IdempotencyStore
  rateLimits: RateLimitStore
  knownCalls: KnownCallStore
  recordings: RecordingStore
  recordingFiles: FileStore
  exportFiles: FileStore
  emailSettings: EmailSettingsStore
  mail: MailSender
  cdrs: CdrStore
  cdrAdmin: CdrAdmin
  cdrQueue: CdrQueue
  exports: ExportStore
  exportQueue: ExportQueue
  erasures: ErasureStore
  erasureQueue: ErasureQueue
  eventTraces: EventTraces
}

/** The name of a port. */
export type PortName = keyof Ports

/**
 * The port methods that an endpoint or worker uses, by port. From it come the handler's types, the grants of its role
 * and its environment, so that nothing is reachable that is not named here.
 */
export type Needs = { readonly [P in PortName]?: readonly (keyof Ports[P] & string)[] }

/** The ports of {@link Needs}, each cut down to the methods named. */
export type PortsOf<N extends Needs> = {
  readonly [P in keyof N & PortName]: Pick<Ports[P], NonNullable<N[P]>[number] & keyof Ports[P]>
}
