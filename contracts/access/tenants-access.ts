import { domainPartitions } from '../domain-partitions.ts'
import type { Access, MethodAccess } from './access-kinds.ts'

/** The access of the ports of tenants, users and credentials. */
export const tenantsAccess = {
  domains: {
    create: [{ table: 'domains', actions: ['PutItem'] }],
    read: [{ table: 'domains', actions: ['GetItem'] }],
    list: [{ table: 'domains', actions: ['Scan'] }],
    replaceSettings: [{ table: 'domains', actions: ['UpdateItem'] }],
    exists: [{ table: 'domains', actions: ['GetItem'] }],
    anyExists: [{ table: 'domains', actions: ['BatchGetItem'] }],
    beginDeletion: [{ table: 'domains', actions: ['UpdateItem'] }],
    readDeleted: [{ table: 'domains', actions: ['GetItem'] }],
    listDeleted: [{ table: 'domains', actions: ['Scan'] }],
    endDeletion: [{ table: 'domains', actions: ['DeleteItem'] }],
  },
  tenantData: {
    purge: [
      ...[...new Set(domainPartitions.map(({ table }) => table))].map(
        (table): Access => ({ table, actions: ['Query', 'BatchWriteItem'] }),
      ),
      // Marks the list of hooks as changed, so that connectors read it again.
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
  presence: {
    read: [{ table: 'presence', actions: ['GetItem'] }],
    list: [{ table: 'presence', actions: ['Query'] }],
    readEach: [{ table: 'presence', actions: ['BatchGetItem'] }],
    put: [{ table: 'presence', actions: ['PutItem'] }],
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
  domainVersions: {
    create: [{ table: 'versions', actions: ['PutItem', 'DeleteItem'] }],
    list: [{ table: 'versions', actions: ['Query'] }],
    read: [{ table: 'versions', actions: ['GetItem', 'Query'] }],
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
    begin: [{ table: 'throttles', actions: ['Query', 'PutItem'] }],
    settle: [{ table: 'throttles', actions: ['UpdateItem'] }],
    release: [{ table: 'throttles', actions: ['DeleteItem'] }],
    clear: [{ table: 'throttles', actions: ['Query', 'DeleteItem'] }],
    pause: [],
    isKnown: [{ table: 'throttles', actions: ['GetItem'] }],
    remember: [{ table: 'throttles', actions: ['PutItem', 'Query', 'DeleteItem'] }],
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
  gateways: {
    list: [{ table: 'gateways', actions: ['Query'] }],
    listAll: [{ table: 'gateways', actions: ['Scan'] }],
    listByNetwork: [{ table: 'gateways', actions: ['Scan'] }],
    read: [{ table: 'gateways', actions: ['GetItem'] }],
    create: [{ table: 'gateways', actions: ['PutItem', 'UpdateItem'] }],
    replace: [{ table: 'gateways', actions: ['PutItem'] }],
    remove: [{ table: 'gateways', actions: ['DeleteItem', 'UpdateItem'] }],
  },
  gatewayStates: {
    list: [{ table: 'presence', actions: ['Query'] }],
    put: [{ table: 'presence', actions: ['BatchWriteItem'] }],
    remove: [{ table: 'presence', actions: ['BatchWriteItem'] }],
  },
  emailSettings: {
    read: [{ table: 'emailSettings', actions: ['GetItem'] }],
    put: [{ table: 'emailSettings', actions: ['PutItem'] }],
    remove: [{ table: 'emailSettings', actions: ['DeleteItem'] }],
  },
  mail: { send: [] },
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
} satisfies Partial<MethodAccess>
