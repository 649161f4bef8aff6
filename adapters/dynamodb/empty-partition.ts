import type { TableName } from '../../contracts/resources.ts'
import type { AdapterContext } from '../context.ts'
import { WRITE_BATCH_ITEMS, removeBatch } from './batches.ts'
import { type Key, queryPage, tableName } from './client.ts'
import { under } from './items.ts'

const BATCHES = 8

/** Items of one table under one partition key. */
export interface PartitionKey {
  readonly table: TableName
  readonly pk: string
}

/**
 * Removes every item of a partition, however many, and returns their number; `undefined` when time ran out first
 * (`until`, epoch milliseconds).
 */
export async function emptyPartition(
  context: AdapterContext,
  place: PartitionKey,
  until: number,
): Promise<number | undefined> {
  const TableName = tableName(context, place.table)
  for (let removed = 0; ; ) {
    const keys = await firstKeys(context, place)
    if (keys.length === 0) return removed
    if (context.clock.now() >= until) return undefined
    removed += keys.length
    const batches = Array.from({ length: Math.ceil(keys.length / WRITE_BATCH_ITEMS) }, (_, index) =>
      keys.slice(index * WRITE_BATCH_ITEMS, (index + 1) * WRITE_BATCH_ITEMS),
    )
    await Promise.all(batches.map((batch) => removeBatch(context, TableName, batch)))
  }
}

async function firstKeys(context: AdapterContext, { table, pk }: PartitionKey): Promise<Key[]> {
  const { items } = await queryPage(context, {
    TableName: tableName(context, table),
    ConsistentRead: true,
    ProjectionExpression: 'pk, sk',
    Limit: WRITE_BATCH_ITEMS * BATCHES,
    ...under(pk),
  })
  return items.map((item) => ({ pk: String(item['pk']), sk: String(item['sk']) }))
}
