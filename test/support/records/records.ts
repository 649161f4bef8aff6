/** Records for tests: valid ones of which a test names only what it is about. */
import { randomUUID } from 'node:crypto'
import type { KnownCall, PlacedCall } from '../../../core/channels/known-call.ts'
import type { CommandRecord } from '../../../core/commands/commands.ts'
import type { GatewayState } from '../../../core/gateways/gateway-state.ts'
import type { Gateway } from '../../../core/gateways/gateway.ts'
import type { EmailSettings } from '../../../core/email/email-settings.ts'
import type { DomainVersion } from '../../../core/domains/domain-version.ts'
import type { RequestKey } from '../../../core/requests/idempotency-key.ts'
import type { CustomRole } from '../../../core/access/custom-role.ts'
import type { Account } from '../../../core/accounts/account.ts'
import type { Presence } from '../../../core/accounts/presence.ts'
import type { AuditRecord } from '../../../core/audit/audit-log.ts'
import type { DomainToken, Token } from '../../../core/access/token.ts'
import type { BlacklistEntry } from '../../../core/blacklists/blacklist-entry.ts'
import type { Domain } from '../../../core/domains/domain.ts'
import type { Gap } from '../../../core/events/gap.ts'
import type { PlatformEvent } from '../../../core/events/platform-event.ts'
import type { Delivery } from '../../../core/hooks/delivery/delivery.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import type { StoredRoute, RouteHead } from '../../../core/default-routes/stored-route.ts'
import type { ConnectorReport, EngineReport } from '../../../core/connectors/connector-report.ts'
import type { ErasureJob } from '../../../core/erasures/erasure.ts'
import type { ExportJob } from '../../../core/cdr/exports/export-job.ts'
import { type ExpectedRecording, type StoredObject, recordingKey } from '../../../core/recordings/recording.ts'

/** A moment that nothing depends on: the start of a `movableClock`. */
const T0 = Date.UTC(2026, 0, 15, 12)

/** A tenant without accounts. */
export function aDomain(given: Partial<Domain> = {}): Domain {
  return {
    name: 'a.example.com',
    customerId: 'customer-1',
    variables: {},
    parameters: {},
    createdAt: T0,
    creationId: randomUUID(),
    accountCount: 0,
    version: 1,
    ...given,
  }
}

/** An account whose one number is its login. */
export function anAccount(given: Partial<Account> = {}): Account {
  const login = given.login ?? '1000'
  return {
    domain: 'a.example.com',
    login,
    role: 'user',
    passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
    a1Hash: '0123456789abcdef0123456789abcdef',
    numbers: [login],
    parameters: { 'vm-enabled': 'true' },
    variables: { timezone: 'Europe/Kyiv' },
    createdAt: T0,
    credentialsId: randomUUID(),
    version: 1,
    ...given,
  }
}

/** A live token of `1000@a.example.com`. */
export function aToken(given: Partial<Token> = {}): Token {
  const { login = '1000', domain = 'a.example.com' } = given
  return {
    key: randomUUID(),
    username: domain === '' ? login : `${login}@${domain}`,
    domain,
    login,
    digest: 'f'.repeat(64),
    credentialsId: randomUUID(),
    createdAt: T0,
    expiresAt: T0 + 7 * 86_400_000,
    enabled: true,
    ...given,
  }
}

/** A live token of the domain a.example.com. */
export function aDomainToken(given: Partial<DomainToken> = {}): DomainToken {
  return {
    uuid: randomUUID(),
    domain: 'a.example.com',
    digest: 'f'.repeat(64),
    role: 'admin',
    description: '',
    createdBy: '1000@a.example.com',
    createdAt: T0,
    expiresAt: T0 + 365 * 86_400_000,
    enabled: true,
    ...given,
  }
}

/** A role that may read hooks. */
export function aRole(given: Partial<CustomRole> = {}): CustomRole {
  return {
    name: 'operator',
    parent: null,
    allows: { hook: ['r'] },
    creationId: randomUUID(),
    createdAt: T0,
    version: 1,
    ...given,
  }
}

/** A line of the trail of a.example.com. */
export function anAuditRecord(given: Partial<AuditRecord> = {}): AuditRecord {
  return {
    at: T0,
    requestId: randomUUID(),
    caller: '1000@a.example.com',
    domain: 'a.example.com',
    sourceAddress: '192.0.2.1',
    method: 'POST',
    path: '/api/v2/accounts',
    status: 200,
    fields: ['login'],
    ...given,
  }
}

/** The presence of `1000@a.example.com`: one phone. */
export function aPresence(given: Partial<Presence> = {}): Presence {
  return {
    domain: 'a.example.com',
    login: '1000',
    contacts: [{ id: 'contact-1', expiresAt: T0 + 3_600_000 }],
    observedAt: T0,
    ...given,
  }
}

/** A leg of a trunk that a connector knew to be up. */
export function aKnownCall(given: Partial<KnownCall> = {}): KnownCall {
  return {
    uuid: randomUUID(),
    engine: 'engine-1',
    core: randomUUID(),
    domain: 'a.example.com',
    presenceId: '',
    direction: 'inbound',
    callerName: 'Alice',
    callerNumber: '+15550100',
    calledNumber: '1000',
    createdAt: `${T0}000`,
    name: 'sofia/external/+15550100@192.0.2.7',
    source: 'mod_sofia',
    origin: '',
    state: 'up',
    changedAt: T0 * 1_000,
    knownAt: T0,
    ...given,
  }
}

/** A call that the API placed a moment ago. */
export function aPlacedCall(given: Partial<Omit<PlacedCall, 'isUp'>> = {}): Omit<PlacedCall, 'isUp'> {
  return { domain: 'a.example.com', uuid: randomUUID(), placedAt: T0, showsBy: T0 + 150_000, ...given }
}

/** A command that waits: hold a channel of `a.example.com`. */
export function aCommandRecord(given: Partial<CommandRecord> = {}): CommandRecord {
  return {
    id: randomUUID(),
    scope: { domain: 'a.example.com', presenceId: null },
    command: { kind: 'hold', uuid: randomUUID() },
    deadlineAt: T0 + 20_000,
    createdAt: T0,
    ...given,
  }
}

/** An enabled hook on new channels of `a.example.com`. */
export function aHook(given: Partial<Hook> = {}): Hook {
  return {
    id: randomUUID().replaceAll('-', '').slice(0, 24),
    domain: 'a.example.com',
    event: 'CHANNEL_CREATE',
    enable: true,
    description: '',
    action: { type: 'web', method: 'POST', url: 'https://receiver.example.com/hook' },
    fields: [],
    map: {},
    filter: { 'Call-Direction': { operation: '==', value: 'inbound' } },
    headers: {},
    auth: { enabled: false, url: '', method: 'POST', headers: {}, map: {}, cookie: false },
    customBody: false,
    rawBody: '',
    retries: 0,
    secrets: [{ sealed: 'c2VhbGVk' }],
    createdAt: T0,
    version: 1,
    ...given,
  }
}

/** A number of the blacklist `spam` of `a.example.com`, for ever. */
export function anEntry(given: Partial<BlacklistEntry> = {}): BlacklistEntry {
  return {
    id: randomUUID().replaceAll('-', '').slice(0, 24),
    domain: 'a.example.com',
    list: 'spam',
    number: '380441234567',
    createdAt: T0,
    ...given,
  }
}

/** The first default route of `a.example.com`: it answers every call. */
export function aRoute(given: Partial<StoredRoute> = {}): StoredRoute {
  const { callflow = [{ answer: '' }] } = given
  return {
    id: randomUUID().replaceAll('-', '').slice(0, 24),
    domain: 'a.example.com',
    destinationNumber: '^(\\d+)$',
    name: 'all',
    order: 1,
    disabled: false,
    fsTimezone: null,
    description: '',
    version: 2,
    callflow,
    callflowBytes: Buffer.byteLength(JSON.stringify(callflow)),
    createdAt: T0,
    revision: 1,
    ...given,
  }
}

/** A new channel of `a.example.com`. */
export function anEvent(given: Partial<PlatformEvent> = {}): PlatformEvent {
  const { domain = 'a.example.com', uuid = randomUUID() } = given
  return {
    id: `${randomUUID()}:1`,
    name: 'CHANNEL_CREATE',
    domain,
    uuid,
    occurredAt: T0,
    fields: { 'Event-Name': 'CHANNEL_CREATE', 'Event-Domain': domain, 'Unique-ID': uuid },
    ...given,
  }
}

/** The head of an enabled default route that matches every number. */
export function aRouteHead(given: Partial<RouteHead> = {}): RouteHead {
  return {
    id: '0'.repeat(24),
    domain: 'a.example.com',
    name: 'all',
    destinationNumber: '.+',
    order: 0,
    disabled: false,
    fsTimezone: null,
    description: '',
    version: 2,
    callflowBytes: 2,
    createdAt: 0,
    revision: 1,
    ...given,
  }
}

/** A delivery that was not tried yet, due at once; of an event where one is given. */
export function aDelivery({ event: carried, ...rest }: Partial<Delivery> & { event?: PlatformEvent } = {}): Delivery {
  const event = carried ?? anEvent({ domain: rest.domain ?? 'a.example.com' })
  return {
    id: `msg_${randomUUID().replaceAll('-', '')}`,
    hookId: 'aaaaaaaaaaaaaaaaaaaaaaaa',
    domain: event.domain,
    eventId: event.id,
    eventName: event.name,
    uuid: event.uuid,
    sequence: 1,
    createdAt: T0,
    state: 'pending',
    attempts: [],
    tries: 0,
    earlierTries: 0,
    nextAttemptAt: T0,
    begun: {},
    ...rest,
  }
}

/** The report of a healthy connector. */
export function aReport(given: Partial<ConnectorReport> = {}): ConnectorReport {
  const { reportedAt = T0 } = given
  return {
    connectorId: 'connector-1',
    startedAt: T0 - 60_000,
    reportedAt,
    version: '1.0.0',
    engines: [anEngineReport()],
    eventLinks: [],
    handedOverTo: reportedAt,
    keptTo: reportedAt - 1_000,
    commandsInFlight: 0,
    commandsWaiting: 0,
    commandsByDomain: [],
    restarts: 0,
    ...given,
  }
}

/** What a connector reports about an engine that it is connected to. */
export function anEngineReport(given: Partial<EngineReport> = {}): EngineReport {
  return {
    name: '192.0.2.1:8021',
    coreUuid: randomUUID(),
    connected: true,
    heardAt: T0,
    status: 'UP 0 years, 0 days',
    ...given,
  }
}

/** A gap of `connector-1`. */
export function aGap(given: Partial<Gap> = {}): Gap {
  return {
    id: randomUUID(),
    connectorId: 'connector-1',
    recordedBy: 'connector-1',
    engine: '192.0.2.1:8021',
    reason: 'closed',
    from: T0,
    to: T0 + 1_000,
    before: { coreUuid: randomUUID(), sequence: '1' },
    after: { coreUuid: randomUUID(), sequence: '9' },
    ...given,
  }
}

/** A request of `a.example.com` that runs under a key. */
export function aRequestKey(given: Partial<RequestKey> = {}): RequestKey {
  return {
    domain: 'a.example.com',
    key: 'key-1',
    fingerprint: 'f'.repeat(64),
    seed: 'c2VlZA==',
    claimId: 'claim-1',
    leaseUntil: T0 + 30_000,
    createdAt: T0,
    ...given,
  }
}

/** A recording of a call of `1000` that was reported when it had ended. */
export function aRecording(given: Partial<ExpectedRecording> = {}): ExpectedRecording {
  const place = { domain: 'a.example.com', uuid: randomUUID(), id: 'recording-1', ...given }
  const startedAt = given.startedAt ?? T0
  return {
    name: 'call.wav',
    key: recordingKey(place, startedAt),
    presenceId: `1000@${place.domain}`,
    leg: 'a',
    createdTime: T0 - 5_000,
    engine: 'engine-1',
    path: '/recordings/call.wav',
    startedAt,
    endedAt: startedAt + 60_000,
    ...place,
  }
}

/** An erasure of a number that no function has begun. */
export function anErasure(given: Partial<ErasureJob> = {}): ErasureJob {
  return {
    domain: 'a.example.com',
    id: '0c1d2e3f-0000-4000-8000-00000000e1a5',
    createdAt: T0,
    since: 0,
    party: { names: ['+442071838750', '02071838750'], country: { 'country-code': '44' } },
    state: 'queued',
    step: 'calls',
    counts: { cdrs: 0, recordings: 0, held: 0, events: 0, deliveries: 0, exports: 0, voicemails: 0 },
    version: 1,
    ...given,
  }
}

/** An export of a domain's CDRs that no function has begun. */
export function anExport(given: Partial<ExportJob> = {}): ExportJob {
  return {
    domain: 'a.example.com',
    id: '4d3c2b1a-0000-4000-8000-000000000001',
    owner: '1000@a.example.com',
    createdAt: T0,
    format: 'csv',
    request: { query: '*', filter: [{ bool: { must: [{ term: { leg: { value: 'a' } } }] } }] },
    state: 'queued',
    progress: { parts: [], rows: 0 },
    version: 1,
    ...given,
  }
}

/** The first version of a domain. */
export function aDomainVersion(given: Partial<DomainVersion> = {}): DomainVersion {
  const { document = 'domain: a.example.com' } = given
  return {
    domain: 'a.example.com',
    number: 1,
    comment: 'applied',
    createdBy: '1000@a.example.com',
    createdAt: T0,
    bytes: Buffer.byteLength(document),
    ...given,
    document,
  }
}

/** An uploader's description of a WAV file of 1 000 bytes. */
export function aStoredObject(given: Partial<StoredObject> = {}): StoredObject {
  return {
    size: 1_000,
    sha256: '0123456789abcdef'.repeat(4),
    contentType: 'audio/wav',
    storedAt: T0 + 90_000,
    ...given,
  }
}

/** A gateway of `a.example.com` that the engine registers at. */
export function aGateway(given: Partial<Gateway> = {}): Gateway {
  return {
    domain: 'a.example.com',
    name: 'trunk',
    register: true,
    realm: 'sip.example.net',
    fromDomain: 'sip.example.net',
    proxy: 'sip.example.net:5070',
    username: 'pbx',
    sealedPassword: 'c2VhbGVk',
    networks: [],
    networksSince: {},
    confirmedNetworks: [],
    transport: 'udp',
    srtp: 'off',
    expires: 600,
    callerId: 'account',
    codecs: [],
    enabled: true,
    profile: 'external',
    createdAt: T0,
    version: 1,
    ...given,
  }
}

/** The state of the gateway {@link aGateway} at the engine `127.0.0.1:8021`: it is registered. */
export function aGatewayState(given: Partial<GatewayState> = {}): GatewayState {
  const name = { domain: 'a.example.com', name: 'trunk' }
  return { ...name, engine: '127.0.0.1:8021', state: 'REGED', status: 'UP', observedAt: T0, ...given }
}

/** The mail settings of `a.example.com`, with a login. */
export function emailSettingsOf(given: Partial<EmailSettings> = {}): EmailSettings {
  return {
    id: 'bbbbbbbbbbbbbbbbbbbbbbbb',
    domain: 'a.example.com',
    provider: 'smtp',
    description: 'mail',
    from: 'pbx@a.example.com',
    options: {
      host: 'smtp.example.com',
      port: 465,
      secure: true,
      debug: false,
      tls: { rejectUnauthorized: true },
      auth: { user: 'pbx', sealedPass: 'c2VhbGVk' },
    },
    createdAt: T0,
    version: 1,
    ...given,
  }
}
