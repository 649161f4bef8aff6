/**
 * The platform's stores and queues, as data. Infrastructure creates them from this list; adapters find them by the
 * environment variable named here; no other code knows their names.
 */

/** A DynamoDB table: string keys `pk` and `sk`, and optionally a time to live and one index. */
export interface TableSpec {
  /** The environment variable that holds the physical name. */
  readonly variable: string
  readonly purpose: string
  /** Whether items carry `expiresAt` (epoch seconds), after which the store may drop them. */
  readonly expires: boolean
  readonly index?: typeof indexName
}

/**
 * The index of a table: `gsi_pk`, `gsi_sk` and the keys of the table, nothing else. Only items that carry both keys are
 * in it. The items that a query finds are read from the table, so a write of an item costs the index nothing while the
 * item keeps its place.
 */
export const indexName = 'keys-by-state'

/** Every table. */
export const tables = {
  domains: { variable: 'TABLE_DOMAINS', purpose: 'tenants and their counters', expires: false },
  accounts: { variable: 'TABLE_ACCOUNTS', purpose: 'accounts and the numbers reserved by them', expires: false },
  roles: { variable: 'TABLE_ROLES', purpose: 'the roles that tenants made', expires: false },
  tokens: { variable: 'TABLE_TOKENS', purpose: 'login results and the tokens of domains', expires: true },
  sessions: { variable: 'TABLE_SESSIONS', purpose: 'when and from where credentials were used', expires: true },
  throttles: { variable: 'TABLE_THROTTLES', purpose: 'failed logins inside the moving window', expires: true },
  presence: {
    variable: 'TABLE_PRESENCE',
    purpose: 'registered phones of accounts, and states of gateways',
    expires: true,
  },
  commands: {
    variable: 'TABLE_COMMANDS',
    purpose: 'commands to the engine and their outcomes',
    expires: true,
    index: indexName,
  },
  hooks: { variable: 'TABLE_HOOKS', purpose: 'hooks and the version of all subscriptions', expires: false },
  blacklists: { variable: 'TABLE_BLACKLISTS', purpose: 'blacklists, their numbers and counts', expires: false },
  routes: {
    variable: 'TABLE_ROUTES',
    purpose: 'default and public routes, and the edition of each set of them',
    expires: false,
  },
  gateways: { variable: 'TABLE_GATEWAYS', purpose: 'the gateways (SIP trunks) of tenants', expires: false },
  deliveries: {
    variable: 'TABLE_DELIVERIES',
    purpose: 'deliveries and their attempts',
    expires: true,
    index: indexName,
  },
  events: { variable: 'TABLE_EVENTS', purpose: 'the latest events of tenants, numbered', expires: true },
  connectors: { variable: 'TABLE_CONNECTORS', purpose: 'the reports of the connectors', expires: true },
  gaps: { variable: 'TABLE_GAPS', purpose: 'times in which events may have been missed', expires: true },
  idempotency: {
    variable: 'TABLE_IDEMPOTENCY',
    purpose: 'requests with an Idempotency-Key and their answers',
    expires: true,
  },
  limits: { variable: 'TABLE_LIMITS', purpose: 'what is left of allowances of requests', expires: true },
  knownCalls: {
    variable: 'TABLE_KNOWN_CALLS',
    purpose: 'live legs of calls, and calls that the API placed',
    expires: true,
    index: indexName,
  },
  emailSettings: { variable: 'TABLE_EMAIL_SETTINGS', purpose: 'how tenants send mail', expires: false },
  recordings: {
    variable: 'TABLE_RECORDINGS',
    purpose: 'what recordings there are, and how far each has come',
    expires: true,
    index: indexName,
  },
  exports: { variable: 'TABLE_EXPORTS', purpose: 'exports of CDRs, and how far each has come', expires: true },
  erasures: {
    variable: 'TABLE_ERASURES',
    purpose: 'erasures of parties, and what must not come back after them',
    expires: true,
  },
  versions: { variable: 'TABLE_VERSIONS', purpose: 'earlier versions of domains as documents', expires: true },
  audit: { variable: 'TABLE_AUDIT', purpose: 'the append-only audit trail', expires: true },
} as const satisfies Record<string, TableSpec>

/** The name of a table. */
export type TableName = keyof typeof tables

/** The tables with a replica in the other region of a stage that has one: configuration, and recordings. */
export const replicatedTables: ReadonlySet<string> = new Set<TableName>([
  ...(['domains', 'accounts', 'roles', 'hooks', 'blacklists', 'routes', 'gateways'] as const),
  ...(['emailSettings', 'recordings'] as const),
])

/** An SQS queue; each comes with its own dead-letter queue. */
export interface QueueSpec {
  /** The environment variable that holds the queue's URL. */
  readonly variable: string
  readonly purpose: string
  readonly fifo: boolean
  /**
   * The time for which a received message stays invisible. It exceeds the time of its function, but not six times, as
   * the service advises; test/infra/queue-advice.test.ts says why for each queue.
   */
  readonly visibilitySeconds: number
  /** The time for which an unprocessed message is kept; SQS allows 60 s to 14 days. */
  readonly retentionSeconds: number
  /** Tries before a message goes to the dead-letter queue. */
  readonly maxReceives: number
}

/**
 * Every queue. Commands live 60 s at most, so that none outlives its deadline by much. A command that a dying connector
 * had received becomes visible again after 10 s, so that it can still run within its 20 s.
 */
export const queues = {
  commands: {
    variable: 'QUEUE_COMMANDS',
    purpose: 'commands to the engine; group = channel uuid',
    fifo: true,
    visibilitySeconds: 10,
    retentionSeconds: 60,
    maxReceives: 3,
  },
  events: {
    variable: 'QUEUE_EVENTS',
    purpose: 'events of the engine and the platform; group = a lane of the domain, which the call decides',
    fifo: true,
    visibilitySeconds: 60,
    retentionSeconds: 345_600,
    // Four hours: an outage of the stores must not turn events into dead letters.
    maxReceives: 240,
  },
  deliveries: {
    variable: 'QUEUE_DELIVERIES',
    purpose: 'attempts to deliver an event to a hook; group = domain, for fairness',
    fifo: false,
    visibilitySeconds: 120,
    retentionSeconds: 345_600,
    maxReceives: 5,
  },
  // While CDRs cannot be indexed, each is tried every 90 s: a thousand tries are 25 hours. Even then nothing is lost.
  cdrs: {
    variable: 'QUEUE_CDRS',
    purpose: 'ended legs of calls and what else changes CDRs; group = uuid of the leg',
    fifo: true,
    visibilitySeconds: 90,
    retentionSeconds: 1_209_600,
    maxReceives: 1000,
  },
  exports: {
    variable: 'QUEUE_EXPORTS',
    purpose: 'exports of CDRs to be worked on',
    fifo: false,
    visibilitySeconds: 360,
    retentionSeconds: 86_400,
    maxReceives: 200,
  },
  erasures: {
    variable: 'QUEUE_ERASURES',
    purpose: 'erasures of parties to be worked on',
    fifo: false,
    visibilitySeconds: 360,
    retentionSeconds: 1_209_600,
    maxReceives: 200,
  },
  cleanups: {
    variable: 'QUEUE_CLEANUPS',
    purpose: 'deleted domains whose records are to be removed',
    fifo: false,
    visibilitySeconds: 360,
    retentionSeconds: 1_209_600,
    maxReceives: 200,
  },
} as const satisfies Record<string, QueueSpec>

/** The name of a queue. */
export type QueueName = keyof typeof queues

/** Secrets of the deployment, made once by the stateful stack. */
export const secrets = {
  root: { variable: 'SECRET_ROOT', purpose: 'password of the root user' },
  cursor: { variable: 'SECRET_CURSOR', purpose: 'signs the cursors of searches' },
  engine: { variable: 'SECRET_ENGINE', purpose: 'what the engine presents at /engine/*' },
  socket: { variable: 'SECRET_SOCKET', purpose: 'password of the event socket, read by the connector task' },
} as const

/** The name of a secret. */
export type SecretName = keyof typeof secrets

/** Keys of the key service. */
export const keys = {
  seal: { variable: 'KEY_SEAL', purpose: 'seals hook signing secrets and the passwords of others' },
} as const

/** The name of a key. */
export type KeyName = keyof typeof keys

/** A bucket of the object store. */
export interface BucketSpec {
  /** The environment variable that holds the bucket's name. */
  readonly variable: string
  readonly purpose: string
  /** Days after which the store itself removes an object; absent: never. */
  readonly keptDays?: number
  /** Whether clients get links to its objects. */
  readonly isLinked?: boolean
}

/** Buckets of the object store. */
export const buckets = {
  recordings: { variable: 'BUCKET_RECORDINGS', purpose: 'call recordings', isLinked: true },
  payloads: { variable: 'BUCKET_PAYLOADS', purpose: 'what large deliveries carry', keptDays: 7 },
  exports: { variable: 'BUCKET_EXPORTS', purpose: 'what searches were exported to', keptDays: 1, isLinked: true },
} as const satisfies Record<string, BucketSpec>

/** The name of a bucket. */
export type BucketName = keyof typeof buckets

/** The bucket whose objects are copied to the other region of a stage that has one. */
export const replicatedBucket = 'recordings' satisfies BucketName

/** Search domains: OpenSearch, reached by signed requests. */
export const searchDomains = {
  cdr: { variable: 'OPENSEARCH_URL', purpose: 'call detail records' },
} as const

/** The name of a search domain. */
export type SearchDomainName = keyof typeof searchDomains
