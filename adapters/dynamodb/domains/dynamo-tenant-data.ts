import { type DomainPartition, domainPartitions } from '../../../contracts/domain-partitions.ts'
import type { TenantData } from '../../../core/domains/domain-store.ts'
import type { AdapterContext } from '../../context.ts'
import { queryAll, tableName, updateItem } from '../client.ts'
import { type PartitionKey, emptyPartition } from '../empty-partition.ts'
import { subscriptionsKey } from '../hooks/hook-item.ts'
import { under } from '../items.ts'
import { joinKey, splitKey } from '../key.ts'

/**
 * Removes the items of contracts/domain-partitions.ts, in its order, until one whole pass finds none: the next pass
 * finds items that were written to a partition after it was emptied.
 */
export function dynamoTenantData(context: AdapterContext): TenantData {
  /** Returns the number of items; `undefined` when time ran out. */
  async function pass(domain: string, until: number): Promise<number | undefined> {
    let removed = 0
    for (const partition of domainPartitions) {
      for (const place of await placesOf(context, partition, domain)) {
        const found = await emptyPartition(context, place, until)
        if (found === undefined) return undefined
        removed += found
      }
    }
    return removed
  }

  return {
    async purge(domain, until) {
      for (;;) {
        const removed = await pass(domain, until)
        if (removed === undefined) return false
        if (removed === 0) break
      }
      await raiseSubscriptions(context)
      return true
    },
  }
}

async function placesOf(context: AdapterContext, partition: DomainPartition, domain: string): Promise<PartitionKey[]> {
  const { table, key, each } = partition
  if (each === undefined) return [{ table, pk: joinKey(...key(domain, '')) }]
  const parents = await queryAll(context, {
    TableName: tableName(context, each.table),
    ConsistentRead: true,
    ProjectionExpression: 'sk',
    ...under(joinKey(...each.key(domain))),
  })
  const ids = new Set(parents.map(({ sk }) => splitKey(String(sk))[0]))
  return [...ids].map((id) => ({ table, pk: joinKey(...key(domain, id)) }))
}

/** Marks the subscriptions as changed, so that the connectors read them again. */
async function raiseSubscriptions(context: AdapterContext): Promise<void> {
  await updateItem(context, {
    TableName: tableName(context, 'hooks'),
    Key: subscriptionsKey,
    UpdateExpression: 'ADD version :one',
    ExpressionAttributeValues: { ':one': 1 },
  })
}
