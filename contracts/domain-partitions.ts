import type { TableName } from './resources.ts'

/** Items of one table that belong to one domain and share a partition key. */
export interface DomainPartition {
  readonly table: TableName
  /** The parts of the partition key, as the adapter joins them. `id` is set if {@link each} is. */
  readonly key: (domain: string, id: string) => readonly [string, ...string[]]
  /** There is one such partition for each item under this key of another table; the item's sort key is the `id`. */
  readonly each?: { readonly table: TableName; readonly key: (domain: string) => readonly [string, ...string[]] }
}

/** Returns the partition that lists the removed hooks of a domain, which may still have deliveries. */
export function removedHooks(domain: string): readonly [string, ...string[]] {
  return ['removed', domain, 'hooks']
}

/** Returns the partition of the highest number of users that a domain had at one time. */
export function highestUsersOf(domain: string): readonly [string, ...string[]] {
  return ['highest', domain]
}

const eventIdShards = ['0', '1', '2', '3', '4', '5', '6', '7']

/**
 * Everything that the stores hold of a domain except its own record, in the order of its removal: items that lead to
 * others are removed after them. A new store of tenants' records joins by one line. Some things are not listed, because
 * they outlive their domain: the audit trail for its 400 days, recordings for their retention, and records that expire
 * within a day and that no tenant can find (commands, sessions, failed logins, and the allowances of the last hour).
 */
export const domainPartitions: readonly DomainPartition[] = [
  { table: 'tokens', key: (domain) => [domain] },
  { table: 'sessions', key: highestUsersOf },
  { table: 'accounts', key: (domain) => [domain] },
  { table: 'presence', key: (domain) => [domain] },
  { table: 'presence', key: (domain) => ['gateways', domain] },
  { table: 'roles', key: (domain) => [domain] },
  { table: 'throttles', key: (domain) => ['networks', domain] },
  {
    table: 'deliveries',
    key: (domain, hookId) => [domain, hookId],
    each: { table: 'hooks', key: (domain) => ['hooks', domain] },
  },
  {
    table: 'deliveries',
    key: (domain, hookId) => [domain, hookId],
    each: { table: 'deliveries', key: removedHooks },
  },
  { table: 'deliveries', key: removedHooks },
  { table: 'deliveries', key: (domain) => ['events of', domain, 'all'] },
  { table: 'hooks', key: (domain) => ['hooks', domain] },
  { table: 'hooks', key: (domain) => ['count', domain] },
  {
    table: 'events',
    key: (domain, block) => ['log', domain, block],
    each: { table: 'events', key: (domain) => ['blocks', domain] },
  },
  { table: 'events', key: (domain) => ['blocks', domain] },
  ...eventIdShards.map((shard): DomainPartition => ({ table: 'events', key: (domain) => ['ids', domain, shard] })),
  { table: 'events', key: (domain) => ['head', domain] },
  { table: 'emailSettings', key: (domain) => [domain] },
  { table: 'idempotency', key: (domain) => [domain] },
  { table: 'knownCalls', key: (domain) => [domain] },
  {
    table: 'blacklists',
    key: (domain, generation) => ['entries', domain, generation],
    each: { table: 'blacklists', key: (domain) => ['generations', domain] },
  },
  { table: 'blacklists', key: (domain) => ['generations', domain] },
  { table: 'blacklists', key: (domain) => ['lists', domain] },
  { table: 'blacklists', key: (domain) => ['count', domain] },
  { table: 'routes', key: (domain) => [domain] },
  { table: 'routes', key: (domain) => ['public', domain] },
  { table: 'gateways', key: (domain) => [domain] },
  { table: 'exports', key: (domain) => [domain] },
  { table: 'erasures', key: (domain) => [domain] },
  { table: 'versions', key: (domain) => [domain] },
]
