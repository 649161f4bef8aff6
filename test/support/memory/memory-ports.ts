import type { Ports } from '../../../contracts/ports.ts'
import type { Clock, Randomness } from '../../../core/time.ts'
import { memoryAccountStore } from './memory-account-store.ts'
import { memoryAuditLog } from './memory-audit-log.ts'
import { memoryBlacklistStore } from './memory-blacklist-store.ts'
import { type MemoryCallEngine, memoryCallEngine } from './memory-call-engine.ts'
import { type MemoryCdrQueue, memoryCdrQueue } from './memory-cdr-queue.ts'
import { memoryCdrAdmin } from './memory-cdr-admin.ts'
import { memoryCdrStore } from './memory-cdr-store.ts'
import { type MemoryCleanupQueue, memoryCleanupQueue } from './memory-cleanup-queue.ts'
import { memoryCommandStore } from './memory-command-store.ts'
import { memoryConnectorStatusStore } from './memory-connector-status-store.ts'
import { memoryCredentialReader } from './memory-credential-reader.ts'
import { memoryDefaultRouteStore, memoryPublicRouteStore } from './memory-route-store.ts'
import { type MemoryDeliveryQueue, memoryDeliveryQueue } from './memory-delivery-queue.ts'
import { type MemoryReceivedEvents, memoryReceivedEvents } from './memory-received-events.ts'
import { memoryDeliveryStore } from './memory-delivery-store.ts'
import { memoryTenantData } from './memory-tenant-data.ts'
import { memoryDomainStore } from './memory-domain-store.ts'
import { memoryDomainTokenStore } from './memory-domain-token-store.ts'
import { memoryDomainVersionStore } from './memory-domain-version-store.ts'
import { memoryGatewayStateStore } from './memory-gateway-state-store.ts'
import { memoryGatewayStore } from './memory-gateway-store.ts'
import { memoryEmailSettingsStore } from './memory-email-settings-store.ts'
import { memoryEventLog, memoryEventLogWriter } from './memory-event-log.ts'
import { type MemoryEventSink, memoryEventSink } from './memory-event-sink.ts'
import { type MemoryFileStore, memoryFileStore } from './memory-file-store.ts'
import { type MemoryErasureQueue, memoryErasureQueue, memoryErasureStore } from './memory-erasure-store.ts'
import { memoryEventTraces } from './memory-event-traces.ts'
import { type MemoryExportQueue, memoryExportQueue } from './memory-export-queue.ts'
import { memoryExportStore } from './memory-export-store.ts'
import { memoryGapStore } from './memory-gap-store.ts'
import { type MemoryHookClient, memoryHookClient } from './memory-hook-client.ts'
import { memoryHookStore } from './memory-hook-store.ts'
import { memoryIdempotencyStore } from './memory-idempotency-store.ts'
import { memoryKnownCallStore } from './memory-known-call-store.ts'
import { memoryLoginThrottle } from './memory-login-throttle.ts'
import { type MemoryMailSender, memoryMailSender } from './memory-mail-sender.ts'
import { memoryPasswordHasher } from './memory-password-hasher.ts'
import { memoryPresenceStore } from './memory-presence-store.ts'
import { memoryRecordingStore } from './memory-recording-store.ts'
import { memoryRoleStore } from './memory-role-store.ts'
import { memoryRateLimitStore } from './memory-rate-limit-store.ts'
import { memorySecretBox } from './memory-secret-box.ts'
import { type MemorySecretReader, memorySecretReader } from './memory-secret-reader.ts'
import { memorySessionStore } from './memory-session-store.ts'
import { type MemoryState, memoryState } from './memory-state.ts'
import { memorySubscriptionReader } from './memory-subscription-reader.ts'
import { memoryTokenStore } from './memory-token-store.ts'

/** Every port in memory, with what can be looked into and scripted. */
export interface MemoryPorts extends Ports {
  readonly engine: MemoryCallEngine
  readonly events: MemoryEventSink
  readonly receivedEvents: MemoryReceivedEvents
  readonly deliveryQueue: MemoryDeliveryQueue
  readonly cleanups: MemoryCleanupQueue
  readonly cdrQueue: MemoryCdrQueue
  readonly exportQueue: MemoryExportQueue
  readonly erasureQueue: MemoryErasureQueue
  readonly hookClient: MemoryHookClient
  readonly secrets: MemorySecretReader
  readonly mail: MemoryMailSender
  readonly recordingFiles: MemoryFileStore
  readonly exportFiles: MemoryFileStore
  /** The content of the stores. */
  readonly state: MemoryState
}

/** All ports over one shared state, empty at first. */
export function memoryPorts({ clock, random }: { clock: Clock; random: Randomness }): MemoryPorts {
  const state = memoryState()
  const context = { clock, random, state }
  return {
    state,
    domains: memoryDomainStore(context),
    tenantData: memoryTenantData(context),
    cleanups: memoryCleanupQueue(),
    roles: memoryRoleStore(context),
    accounts: memoryAccountStore(context),
    tokens: memoryTokenStore(context),
    domainTokens: memoryDomainTokenStore(context),
    domainVersions: memoryDomainVersionStore(context),
    credentials: memoryCredentialReader(context),
    sessions: memorySessionStore(context),
    loginThrottle: memoryLoginThrottle(context),
    passwords: memoryPasswordHasher(context),
    secrets: memorySecretReader(),
    secretBox: memorySecretBox(context),
    presence: memoryPresenceStore(context),
    engine: memoryCallEngine(),
    commands: memoryCommandStore(context),
    events: memoryEventSink(),
    hooks: memoryHookStore(context),
    blacklists: memoryBlacklistStore(context),
    defaultRoutes: memoryDefaultRouteStore(context),
    publicRoutes: memoryPublicRouteStore(context),
    subscriptions: memorySubscriptionReader(context),
    deliveries: memoryDeliveryStore(context),
    receivedEvents: memoryReceivedEvents(),
    deliveryQueue: memoryDeliveryQueue(),
    hookClient: memoryHookClient(),
    connectorStatus: memoryConnectorStatusStore(context),
    gaps: memoryGapStore(context),
    eventLog: memoryEventLog(context),
    eventLogWriter: memoryEventLogWriter(context),
    audit: memoryAuditLog(context),
    idempotency: memoryIdempotencyStore(context),
    rateLimits: memoryRateLimitStore(context),
    knownCalls: memoryKnownCallStore(context),
    recordings: memoryRecordingStore(context),
    recordingFiles: memoryFileStore(context),
    exportFiles: memoryFileStore(context),
    emailSettings: memoryEmailSettingsStore(context),
    gateways: memoryGatewayStore(context),
    gatewayStates: memoryGatewayStateStore(context),
    mail: memoryMailSender(),
    cdrs: memoryCdrStore(context),
    cdrAdmin: memoryCdrAdmin(),
    cdrQueue: memoryCdrQueue(),
    exports: memoryExportStore(context),
    exportQueue: memoryExportQueue(),
    erasures: memoryErasureStore(context),
    erasureQueue: memoryErasureQueue(),
    eventTraces: memoryEventTraces(context),
  }
}
