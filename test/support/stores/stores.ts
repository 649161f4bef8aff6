import { dynamoAccountStore } from '../../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoBlacklistStore } from '../../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import { dynamoCommandStore } from '../../../adapters/dynamodb/calls/dynamo-command-store.ts'
import { dynamoConnectorStatusStore } from '../../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoCredentialReader } from '../../../adapters/dynamodb/auth/dynamo-credential-reader.ts'
import {
  dynamoDefaultRouteStore,
  dynamoPublicRouteStore,
} from '../../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import { dynamoDeliveryStore } from '../../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'
import { dynamoAuditLog } from '../../../adapters/dynamodb/audit/dynamo-audit-log.ts'
import { dynamoTenantData } from '../../../adapters/dynamodb/domains/dynamo-tenant-data.ts'
import { dynamoDomainTokenStore } from '../../../adapters/dynamodb/domains/dynamo-domain-token-store.ts'
import { dynamoDomainVersionStore } from '../../../adapters/dynamodb/domains/dynamo-domain-version-store.ts'
import { dynamoRecordingStore } from '../../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { dynamoRoleStore } from '../../../adapters/dynamodb/access/dynamo-role-store.ts'
import { dynamoDomainStore } from '../../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoGatewayStateStore } from '../../../adapters/dynamodb/gateways/dynamo-gateway-state-store.ts'
import { dynamoGatewayStore } from '../../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import { dynamoEmailSettingsStore } from '../../../adapters/dynamodb/domains/dynamo-email-settings-store.ts'
import { dynamoEventLog } from '../../../adapters/dynamodb/events/dynamo-event-log.ts'
import { dynamoEventLogWriter } from '../../../adapters/dynamodb/hooks/dynamo-event-log-writer.ts'
import { dynamoErasureStore } from '../../../adapters/dynamodb/domains/dynamo-erasure-store.ts'
import { dynamoEventTraces } from '../../../adapters/dynamodb/hooks/dynamo-event-traces.ts'
import { dynamoExportStore } from '../../../adapters/dynamodb/recordings/dynamo-export-store.ts'
import { dynamoGapStore } from '../../../adapters/dynamodb/events/dynamo-gap-store.ts'
import { dynamoHookStore } from '../../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import { dynamoIdempotencyStore } from '../../../adapters/dynamodb/access/dynamo-idempotency-store.ts'
import { dynamoKnownCallStore } from '../../../adapters/dynamodb/calls/dynamo-known-call-store.ts'
import { dynamoLoginThrottle } from '../../../adapters/dynamodb/access/dynamo-login-throttle.ts'
import { dynamoPresenceStore } from '../../../adapters/dynamodb/accounts/dynamo-presence-store.ts'
import { dynamoRateLimitStore } from '../../../adapters/dynamodb/access/dynamo-rate-limit-store.ts'
import { dynamoSessionStore } from '../../../adapters/dynamodb/access/dynamo-session-store.ts'
import { dynamoSubscriptionReader } from '../../../adapters/dynamodb/hooks/dynamo-subscription-reader.ts'
import { dynamoTokenStore } from '../../../adapters/dynamodb/access/dynamo-token-store.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryFileStore } from '../memory/memory-file-store.ts'
import { memoryPorts } from '../memory/memory-ports.ts'
import type { AdapterContext } from '../../../adapters/context.ts'
import type { Ports } from '../../../contracts/ports.ts'
import { startDynamoServer } from './dynamo-server.ts'
import { type MovableClock, movableClock } from '../processes/movable-clock.ts'

/** The ports that keep records. */
export type StorePorts = Pick<
  Ports,
  | 'domains'
  | 'tenantData'
  | 'roles'
  | 'accounts'
  | 'tokens'
  | 'domainTokens'
  | 'domainVersions'
  | 'credentials'
  | 'sessions'
  | 'loginThrottle'
  | 'presence'
  | 'commands'
  | 'hooks'
  | 'blacklists'
  | 'defaultRoutes'
  | 'publicRoutes'
  | 'subscriptions'
  | 'deliveries'
  | 'connectorStatus'
  | 'gaps'
  | 'eventLog'
  | 'eventLogWriter'
  | 'idempotency'
  | 'rateLimits'
  | 'knownCalls'
  | 'recordings'
  | 'exports'
  | 'erasures'
  | 'eventTraces'
  | 'emailSettings'
  | 'gateways'
  | 'gatewayStates'
  | 'audit'
>

/** Stores under test, over one set of records that is empty at first. */
export interface Stores extends StorePorts {
  readonly clock: MovableClock
  /** The same records through the adapters of another process. */
  readonly elsewhere: StorePorts
  close(): Promise<void>
}

/** One way to keep records. Every contract suite runs for each of them. */
export interface StoreKind {
  readonly name: string
  readonly open: () => Promise<Stores>
}

/** Every way to keep records. */
export const storeKinds: readonly StoreKind[] = [
  {
    name: 'memory',
    async open() {
      const clock = movableClock()
      const ports = memoryPorts({ clock, random: systemRandomness })
      return { ...ports, elsewhere: ports, clock, close: async () => {} }
    },
  },
  {
    name: 'DynamoDB',
    async open() {
      const clock = movableClock()
      const server = await startDynamoServer()
      const context = { env: server.env, clock, random: systemRandomness }
      const elsewhere = dynamoStores({ ...context, env: { ...server.env } })
      return { ...dynamoStores(context), elsewhere, clock, close: () => server.close() }
    },
  },
]

/** Every store over DynamoDB; what is too large for a table is in memory. */
export function dynamoStores(context: AdapterContext): StorePorts {
  const payloads = memoryFileStore(context)
  return {
    domains: dynamoDomainStore(context),
    tenantData: dynamoTenantData(context),
    roles: dynamoRoleStore(context),
    accounts: dynamoAccountStore(context),
    tokens: dynamoTokenStore(context),
    domainTokens: dynamoDomainTokenStore(context),
    domainVersions: dynamoDomainVersionStore(context),
    credentials: dynamoCredentialReader(context),
    sessions: dynamoSessionStore(context),
    loginThrottle: dynamoLoginThrottle(context),
    presence: dynamoPresenceStore(context),
    commands: dynamoCommandStore(context),
    hooks: dynamoHookStore(context),
    blacklists: dynamoBlacklistStore(context),
    defaultRoutes: dynamoDefaultRouteStore(context),
    publicRoutes: dynamoPublicRouteStore(context),
    subscriptions: dynamoSubscriptionReader(context),
    deliveries: dynamoDeliveryStore(context, payloads),
    connectorStatus: dynamoConnectorStatusStore(context),
    gaps: dynamoGapStore(context),
    eventLog: dynamoEventLog(context),
    eventLogWriter: dynamoEventLogWriter(context, payloads),
    idempotency: dynamoIdempotencyStore(context),
    rateLimits: dynamoRateLimitStore(context),
    knownCalls: dynamoKnownCallStore(context),
    recordings: dynamoRecordingStore(context),
    exports: dynamoExportStore(context),
    erasures: dynamoErasureStore(context),
    eventTraces: dynamoEventTraces(context, payloads),
    emailSettings: dynamoEmailSettingsStore(context),
    gateways: dynamoGatewayStore(context),
    gatewayStates: dynamoGatewayStateStore(context),
    audit: dynamoAuditLog(context),
  }
}
