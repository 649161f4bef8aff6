/**
 * Everything the platform's rules need from outside. A port is a role; each has at least one
 * adapter, and one in memory for tests (test/support/memory), held to one contract suite. "Not found" is `undefined`; an outage is a `DomainError` with
 * `store_unavailable`; no other error crosses a port.
 */
import type { CdrAdmin } from './cdr/cdr-admin.ts'
import type { CdrStore } from './cdr/cdr-store.ts'
import type { ExportQueue, ExportStore } from './cdr/export-job.ts'
import type { CdrQueue } from './cdr/cdr-news.ts'
import type { FileStore } from './recordings/file-store.ts'
import type { RecordingStore } from './recordings/recording-store.ts'
import type { DomainStore, DomainRemains } from './domains/domain-store.ts'
import type { CleanupQueue } from './domains/cleanup-queue.ts'
import type { DomainTokenStore } from './domains/domain-token-store.ts'
import type { RoleStore } from './access/role-store.ts'
import type { AccountStore } from './accounts/account-store.ts'
import type { PresenceStore } from './accounts/presence-store.ts'
import type { TokenStore } from './auth/token-store.ts'
import type { CredentialReader, SessionStore } from './auth/credentials.ts'
import type { LoginThrottle } from './auth/login-attempts.ts'
import type { PasswordHasher, SecretReader, SecretBox } from './auth/secrets.ts'
import type { CallEngine } from './channels/call-engine.ts'
import type { CommandStore } from './channels/command-store.ts'
import type { LiveCallStore } from './channels/live-call-store.ts'
import type { KnownCallStore } from './channels/known-call-store.ts'
import type { EventSink } from './events/event-sink.ts'
import type { EventLog, EventLogWriter } from './events/event-log.ts'
import type { GapStore } from './events/gap-store.ts'
import type { HookStore, SubscriptionReader } from './hooks/hook-store.ts'
import type { DeliveryStore } from './hooks/delivery-store.ts'
import type { DeliveryQueue } from './hooks/delivery-queue.ts'
import type { HookClient } from './hooks/hook-client.ts'
import type { BlacklistStore } from './blacklists/blacklist-store.ts'
import type { DefaultRouteStore } from './routes/default-route-store.ts'
import type { ConnectorStatusStore } from './status/connector-status-store.ts'
import type { AuditLog } from './audit/audit-log.ts'
import type { IdempotencyStore } from './idempotency/idempotency-store.ts'
import type { RateLimitStore } from './limits/rate-limit-store.ts'
import type { EmailSettingsStore } from './email/email-settings-store.ts'
import type { MailSender } from './email/mail-sender.ts'

/** The time. Everything that asks for it is given one, so that tests can move it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

/** Randomness, for identifiers and secrets. */
export interface Randomness {
  /** A UUID v4 in lower case. */
  uuid(): string
  /** Bytes that nobody can guess. */
  bytes(length: number): Uint8Array
}

/** Every port by the name that a route's `needs` calls it. */
export interface Ports {
  domains: DomainStore
  remains: DomainRemains
  cleanups: CleanupQueue
  roles: RoleStore
  accounts: AccountStore
  tokens: TokenStore
  domainTokens: DomainTokenStore
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
  hooks: HookStore
  blacklists: BlacklistStore
  defaultRoutes: DefaultRouteStore
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
  liveCalls: LiveCallStore
  knownCalls: KnownCallStore
  recordings: RecordingStore
  /** The objects of recordings. */
  recordingFiles: FileStore
  /** What searches were exported to. */
  exportFiles: FileStore
  emailSettings: EmailSettingsStore
  mail: MailSender
  cdrs: CdrStore
  cdrAdmin: CdrAdmin
  cdrQueue: CdrQueue
  exports: ExportStore
  exportQueue: ExportQueue
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
