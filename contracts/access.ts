/**
 * What each method of each port does to which resource when its cloud adapter runs: the one source of IAM grants and
 * of environment variables. A method that is not listed needs nothing from the cloud.
 */
import type { Needs, PortName, Ports } from '../core/ports.ts'
import { domainPartitions } from './domain-partitions.ts'
import {
  type BucketName,
  type KeyName,
  type QueueName,
  type SearchDomainName,
  type SecretName,
  type TableName,
  buckets,
  keys,
  queues,
  searchDomains,
  secrets,
  tables,
} from './resources.ts'

/** The DynamoDB actions that adapters use; a transaction needs the action of each of its parts. */
export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'Scan'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | 'ConditionCheckItem'

/** What a role may do with a search domain: IAM knows the methods of its HTTP requests. */
export type SearchAction = 'ESHttpGet' | 'ESHttpHead' | 'ESHttpPost' | 'ESHttpPut' | 'ESHttpDelete'

/** What a role may do with the objects of a bucket. The names are IAM's: beginning an upload is a `PutObject`, too. */
export type ObjectAction =
  | 'GetObject'
  | 'PutObject'
  | 'DeleteObject'
  | 'AbortMultipartUpload'
  | 'ListMultipartUploadParts'

/** One grant. `index` grants the table's index and not the table itself. */
export type Access =
  | { readonly table: TableName; readonly actions: readonly TableAction[]; readonly index?: boolean }
  | { readonly queue: QueueName; readonly actions: readonly ('SendMessage' | 'GetQueueAttributes')[] }
  | { readonly secret: SecretName; readonly actions: readonly ('GetSecretValue' | 'DescribeSecret')[] }
  | { readonly key: KeyName; readonly actions: readonly ('Encrypt' | 'Decrypt')[] }
  | { readonly bucket: BucketName; readonly actions: readonly ObjectAction[] }
  /** On the bucket itself: who may not list it is told 403 of objects that are not there. */
  | { readonly bucket: BucketName; readonly actions: readonly ['ListBucket']; readonly whole: true }
  | { readonly search: SearchDomainName; readonly actions: readonly SearchAction[] }

type MethodAccess = { readonly [P in PortName]: { readonly [M in keyof Ports[P]]: readonly Access[] } }

/** What every method of every port touches. */
export const access: MethodAccess = {
  domains: {
    create: [{ table: 'domains', actions: ['PutItem'] }],
    read: [{ table: 'domains', actions: ['GetItem'] }],
    list: [{ table: 'domains', actions: ['Scan'] }],
    replaceSettings: [{ table: 'domains', actions: ['UpdateItem'] }],
    exists: [{ table: 'domains', actions: ['GetItem'] }],
    beginDeletion: [{ table: 'domains', actions: ['UpdateItem'] }],
    readDeleted: [{ table: 'domains', actions: ['GetItem'] }],
    listDeleted: [{ table: 'domains', actions: ['Scan'] }],
    endDeletion: [{ table: 'domains', actions: ['DeleteItem'] }],
  },
  remains: {
    sweep: [
      ...[...new Set(domainPartitions.map(({ table }) => table))].map(
        (table): Access => ({ table, actions: ['Query', 'BatchWriteItem'] }),
      ),
      // The connectors are told that there are fewer hooks.
      { table: 'hooks', actions: ['UpdateItem'] },
    ],
  },
  cleanups: { send: [{ queue: 'cleanups', actions: ['SendMessage'] }] },
  roles: {
    read: [{ table: 'roles', actions: ['GetItem'] }],
    write: [{ table: 'roles', actions: ['PutItem'] }],
  },
  accounts: {
    create: [
      { table: 'accounts', actions: ['PutItem'] },
      { table: 'domains', actions: ['UpdateItem'] },
    ],
    read: [{ table: 'accounts', actions: ['GetItem'] }],
    readByNumber: [{ table: 'accounts', actions: ['GetItem'] }],
    list: [{ table: 'accounts', actions: ['Query'] }],
    update: [{ table: 'accounts', actions: ['PutItem', 'DeleteItem'] }],
    remove: [
      { table: 'accounts', actions: ['DeleteItem'] },
      { table: 'domains', actions: ['UpdateItem'] },
    ],
    useCode: [{ table: 'accounts', actions: ['UpdateItem'] }],
  },
  tokens: {
    create: [{ table: 'tokens', actions: ['PutItem', 'Query', 'DeleteItem'] }],
    remove: [{ table: 'tokens', actions: ['DeleteItem'] }],
  },
  domainTokens: {
    create: [{ table: 'tokens', actions: ['PutItem', 'UpdateItem'] }],
    read: [{ table: 'tokens', actions: ['GetItem'] }],
    list: [{ table: 'tokens', actions: ['Query'] }],
    setEnabled: [{ table: 'tokens', actions: ['UpdateItem'] }],
    remove: [{ table: 'tokens', actions: ['DeleteItem', 'UpdateItem'] }],
  },
  credentials: {
    read: [
      { table: 'tokens', actions: ['GetItem'] },
      { table: 'accounts', actions: ['GetItem'] },
      { table: 'domains', actions: ['GetItem'] },
      { table: 'roles', actions: ['GetItem'] },
    ],
    readDomainToken: [
      { table: 'tokens', actions: ['GetItem'] },
      { table: 'domains', actions: ['GetItem'] },
      { table: 'roles', actions: ['GetItem'] },
    ],
  },
  sessions: {
    touch: [{ table: 'sessions', actions: ['PutItem'] }],
    meet: [{ table: 'sessions', actions: ['PutItem'] }],
    count: [{ table: 'sessions', actions: ['Query', 'UpdateItem'] }],
  },
  loginThrottle: {
    read: [{ table: 'throttles', actions: ['Query'] }],
    fail: [{ table: 'throttles', actions: ['PutItem'] }],
    begin: [{ table: 'throttles', actions: ['Query', 'PutItem'] }],
    settle: [{ table: 'throttles', actions: ['UpdateItem'] }],
    release: [{ table: 'throttles', actions: ['DeleteItem'] }],
    clear: [{ table: 'throttles', actions: ['Query', 'DeleteItem'] }],
    pause: [],
  },
  passwords: { hash: [], verify: [] },
  secrets: {
    rootPassword: [{ secret: 'root', actions: ['GetSecretValue'] }],
    rootVersion: [{ secret: 'root', actions: ['DescribeSecret'] }],
    cursorKey: [{ secret: 'cursor', actions: ['GetSecretValue'] }],
    engineCredential: [{ secret: 'engine', actions: ['GetSecretValue'] }],
  },
  secretBox: {
    seal: [{ key: 'seal', actions: ['Encrypt'] }],
    open: [{ key: 'seal', actions: ['Decrypt'] }],
  },
  presence: {
    read: [{ table: 'presence', actions: ['GetItem'] }],
    list: [{ table: 'presence', actions: ['Query'] }],
    put: [{ table: 'presence', actions: ['PutItem'] }],
  },
  engine: {
    run: [
      { table: 'commands', actions: ['PutItem', 'GetItem', 'Query', 'UpdateItem'] },
      { queue: 'commands', actions: ['SendMessage'] },
    ],
    send: [
      { table: 'commands', actions: ['PutItem'] },
      { queue: 'commands', actions: ['SendMessage'] },
    ],
  },
  commands: {
    create: [{ table: 'commands', actions: ['PutItem'] }],
    read: [{ table: 'commands', actions: ['GetItem', 'Query'] }],
    claim: [{ table: 'commands', actions: ['UpdateItem'] }],
    withdraw: [{ table: 'commands', actions: ['UpdateItem'] }],
    complete: [{ table: 'commands', actions: ['UpdateItem', 'PutItem'] }],
    endClaimsOf: [
      { table: 'commands', index: true, actions: ['Query'] },
      { table: 'commands', actions: ['UpdateItem'] },
    ],
    keepAlias: [{ table: 'commands', actions: ['PutItem'] }],
    readAlias: [{ table: 'commands', actions: ['GetItem'] }],
  },
  events: { publish: [{ queue: 'events', actions: ['SendMessage'] }] },
  hooks: {
    create: [{ table: 'hooks', actions: ['PutItem', 'UpdateItem'] }],
    read: [{ table: 'hooks', actions: ['GetItem'] }],
    list: [{ table: 'hooks', actions: ['Query'] }],
    count: [{ table: 'hooks', actions: ['GetItem'] }],
    replace: [{ table: 'hooks', actions: ['PutItem', 'UpdateItem'] }],
    remove: [
      { table: 'hooks', actions: ['DeleteItem', 'UpdateItem'] },
      // What was sent to it goes with its domain still.
      { table: 'deliveries', actions: ['PutItem'] },
    ],
    countFailure: [{ table: 'hooks', actions: ['UpdateItem'] }],
    clearFailures: [{ table: 'hooks', actions: ['UpdateItem'] }],
    noteSpeed: [{ table: 'hooks', actions: ['UpdateItem'] }],
    endNotice: [{ table: 'hooks', actions: ['UpdateItem'] }],
    renewNotice: [{ table: 'hooks', actions: ['UpdateItem'] }],
  },
  blacklists: {
    add: [{ table: 'blacklists', actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] }],
    read: [{ table: 'blacklists', actions: ['GetItem'] }],
    names: [{ table: 'blacklists', actions: ['Query'] }],
    page: [{ table: 'blacklists', actions: ['GetItem', 'Query'] }],
    entries: [{ table: 'blacklists', actions: ['GetItem', 'Query'] }],
    remove: [{ table: 'blacklists', actions: ['GetItem', 'UpdateItem', 'DeleteItem'] }],
    removeList: [{ table: 'blacklists', actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] }],
    sweep: [{ table: 'blacklists', actions: ['Query', 'BatchWriteItem', 'DeleteItem'] }],
  },
  defaultRoutes: {
    list: [{ table: 'routes', actions: ['Query'] }],
    callflows: [{ table: 'routes', actions: ['BatchGetItem'] }],
    read: [{ table: 'routes', actions: ['GetItem'] }],
    create: [{ table: 'routes', actions: ['PutItem', 'UpdateItem'] }],
    replace: [{ table: 'routes', actions: ['PutItem', 'UpdateItem'] }],
    swap: [{ table: 'routes', actions: ['UpdateItem'] }],
    remove: [{ table: 'routes', actions: ['DeleteItem', 'UpdateItem'] }],
  },
  subscriptions: {
    version: [{ table: 'hooks', actions: ['GetItem'] }],
    list: [{ table: 'hooks', actions: ['Scan'] }],
  },
  deliveries: {
    create: [{ table: 'deliveries', actions: ['PutItem'] }],
    read: [{ table: 'deliveries', actions: ['GetItem'] }],
    keepEvent: [
      { table: 'deliveries', actions: ['PutItem'] },
      { bucket: 'payloads', actions: ['PutObject'] },
    ],
    readEvent: [
      { table: 'deliveries', actions: ['GetItem'] },
      { bucket: 'payloads', actions: ['GetObject'] },
      { bucket: 'payloads', actions: ['ListBucket'], whole: true },
    ],
    beginAttempt: [{ table: 'deliveries', actions: ['UpdateItem'] }],
    recordAttempt: [{ table: 'deliveries', actions: ['UpdateItem'] }],
    reschedule: [{ table: 'deliveries', actions: ['UpdateItem'] }],
    reopen: [{ table: 'deliveries', actions: ['UpdateItem'] }],
    listDue: [{ table: 'deliveries', actions: ['Query'], index: true }],
    listFailed: [{ table: 'deliveries', actions: ['Query'], index: true }],
    list: [{ table: 'deliveries', actions: ['Query'] }],
  },
  deliveryQueue: {
    send: [
      { queue: 'deliveries', actions: ['SendMessage'] },
      { queue: 'slowDeliveries', actions: ['SendMessage'] },
    ],
    waiting: [
      { queue: 'deliveries', actions: ['GetQueueAttributes'] },
      { queue: 'slowDeliveries', actions: ['GetQueueAttributes'] },
    ],
  },
  hookClient: { send: [] },
  connectorStatus: {
    report: [{ table: 'connectors', actions: ['PutItem'] }],
    list: [{ table: 'connectors', actions: ['Query'] }],
    countStart: [{ table: 'connectors', actions: ['UpdateItem'] }],
  },
  gaps: {
    record: [{ table: 'gaps', actions: ['PutItem'] }],
    list: [{ table: 'gaps', actions: ['Query'] }],
  },
  eventLog: {
    append: [{ table: 'events', actions: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'] }],
    read: [{ table: 'events', actions: ['Query'] }],
    latest: [{ table: 'events', actions: ['GetItem', 'Query'] }],
    head: [{ table: 'events', actions: ['GetItem'] }],
  },
  audit: {
    append: [{ table: 'audit', actions: ['PutItem'] }],
    list: [{ table: 'audit', actions: ['Query'] }],
  },
  idempotency: {
    create: [{ table: 'idempotency', actions: ['PutItem', 'GetItem'] }],
    takeOver: [{ table: 'idempotency', actions: ['UpdateItem'] }],
    complete: [{ table: 'idempotency', actions: ['UpdateItem'] }],
    release: [{ table: 'idempotency', actions: ['UpdateItem'] }],
  },
  rateLimits: {
    take: [{ table: 'limits', actions: ['UpdateItem'] }],
    takeInWindow: [{ table: 'limits', actions: ['GetItem', 'PutItem'] }],
    enter: [{ table: 'limits', actions: ['UpdateItem'] }],
    leave: [{ table: 'limits', actions: ['UpdateItem'] }],
  },
  liveCalls: {
    put: [{ table: 'liveCalls', actions: ['UpdateItem'] }],
    list: [{ table: 'liveCalls', actions: ['GetItem'] }],
    remove: [{ table: 'liveCalls', actions: ['UpdateItem'] }],
  },
  knownCalls: {
    put: [{ table: 'knownCalls', actions: ['PutItem'] }],
    read: [{ table: 'knownCalls', actions: ['GetItem'] }],
    list: [{ table: 'knownCalls', index: true, actions: ['Query'] }],
    remove: [{ table: 'knownCalls', actions: ['DeleteItem'] }],
  },
  recordings: {
    expect: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    read: [{ table: 'recordings', actions: ['GetItem'] }],
    list: [{ table: 'recordings', actions: ['Query'] }],
    claim: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    renew: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    release: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    markStored: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    markFailed: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    markDeleted: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    markRemoved: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    setHold: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    listOverdue: [{ table: 'recordings', actions: ['Query'], index: true }],
    listExpired: [{ table: 'recordings', actions: ['Query'], index: true }],
    listDoomed: [{ table: 'recordings', actions: ['Query'], index: true }],
    page: [{ table: 'recordings', actions: ['Query'] }],
    leave: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    listLeft: [{ table: 'recordings', actions: ['Query'] }],
    forgetLeft: [{ table: 'recordings', actions: ['DeleteItem'] }],
  },
  recordingFiles: filesIn('recordings'),
  exportFiles: filesIn('exports'),
  emailSettings: {
    read: [{ table: 'emailSettings', actions: ['GetItem'] }],
    put: [{ table: 'emailSettings', actions: ['PutItem'] }],
    remove: [{ table: 'emailSettings', actions: ['DeleteItem'] }],
  },
  mail: { send: [] },
  exports: {
    create: [{ table: 'exports', actions: ['PutItem'] }],
    read: [{ table: 'exports', actions: ['GetItem'] }],
    replace: [{ table: 'exports', actions: ['PutItem'] }],
  },
  exportQueue: { send: [{ queue: 'exports', actions: ['SendMessage'] }] },
  cdrQueue: { send: [{ queue: 'cdrs', actions: ['SendMessage'] }] },
  cdrs: {
    index: [{ search: 'cdr', actions: ['ESHttpPost'] }],
    setRecordings: [{ search: 'cdr', actions: ['ESHttpPost'] }],
    search: [{ search: 'cdr', actions: ['ESHttpPost'] }],
  },
  cdrAdmin: { prepare: [{ search: 'cdr', actions: ['ESHttpGet', 'ESHttpPut', 'ESHttpPost'] }] },
}

/** What the methods of a file store touch. A link is judged when it is used, by what its signer may do. */
function filesIn(bucket: BucketName): MethodAccess['recordingFiles'] {
  const list = { bucket, actions: ['ListBucket'], whole: true } as const
  const put = { bucket, actions: ['PutObject'] } as const
  return {
    sign: [{ bucket, actions: ['GetObject'] }],
    head: [{ bucket, actions: ['GetObject'] }, list],
    read: [{ bucket, actions: ['GetObject'] }, list],
    put: [put],
    remove: [{ bucket, actions: ['DeleteObject'] }],
    beginUpload: [put],
    putPart: [put],
    listParts: [{ bucket, actions: ['ListMultipartUploadParts'] }],
    completeUpload: [put],
    abortUpload: [{ bucket, actions: ['AbortMultipartUpload'] }],
  }
}

/** Every access that a set of needs comes to. One resource may stand there more than once. */
export function accessOf(needs: Needs): Access[] {
  return Object.entries(needs).flatMap(([port, methods]) => {
    const byMethod = access[port as PortName] as Readonly<Record<string, readonly Access[]>>
    return (methods ?? []).flatMap((method) => byMethod[method] ?? [])
  })
}

/** The environment variable that tells where the resource of an access is. */
export function variableOf(granted: Access): string {
  if ('table' in granted) return tables[granted.table].variable
  if ('queue' in granted) return queues[granted.queue].variable
  if ('secret' in granted) return secrets[granted.secret].variable
  if ('bucket' in granted) return buckets[granted.bucket].variable
  if ('search' in granted) return searchDomains[granted.search].variable
  return keys[granted.key].variable
}
