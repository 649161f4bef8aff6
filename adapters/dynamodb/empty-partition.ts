import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { TableName } from '../../contracts/resources.ts'
import { DomainError } from '../../core/errors.ts'
import type { AdapterContext } from '../context.ts'
import { documentClient, tableName } from './client.ts'
import { guarded, pause } from './errors.ts'
import { under } from './items.ts'

/** DynamoDB takes at most 25 writes in a batch; this many batches are written at once. */
const BATCH_ITEMS = 25
const BATCHES = 8

/** Waits between tries of a batch of which the store, being busy, left some undone. */
const BUSY_WAITS_MS = [50, 100, 200, 400, 800, 1600]

/** Items of one table under one partition key. */
export interface Place {
  readonly table: TableName
  readonly pk: string
}

interface ItemKey {
  readonly pk: string
  readonly sk: string
}

/** Removes every item of a place, however many; `false` when time ran out before (`until`, epoch milliseconds). */
export async function emptyPartition(context: AdapterContext, place: Place, until: number): Promise<boolean> {
  for (;;) {
    const keys = await firstKeys(context, place)
    if (keys.length === 0) return true
    if (context.clock.now() >= until) return false
    const batches = Array.from({ length: Math.ceil(keys.length / BATCH_ITEMS) }, (_, index) =>
      keys.slice(index * BATCH_ITEMS, (index + 1) * BATCH_ITEMS),
    )
    await Promise.all(batches.map((batch) => removeBatch(context, place.table, batch)))
  }
}

async function firstKeys(context: AdapterContext, { table, pk }: Place): Promise<ItemKey[]> {
  const query = new QueryCommand({
    TableName: tableName(context, table),
    ConsistentRead: true,
    ProjectionExpression: 'pk, sk',
    Limit: BATCH_ITEMS * BATCHES,
    ...under(pk),
  })
  const page = await guarded(() => documentClient(context).send(query))
  return (page.Items ?? []).map((item) => ({ pk: String(item['pk']), sk: String(item['sk']) }))
}

async function removeBatch(context: AdapterContext, table: TableName, keys: readonly ItemKey[]): Promise<void> {
  const physical = tableName(context, table)
  let left = keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }))
  for (const waitMs of BUSY_WAITS_MS) {
    const write = new BatchWriteCommand({ RequestItems: { [physical]: left } })
    const { UnprocessedItems: undone } = await guarded(() => documentClient(context).send(write))
    left = left.filter(({ DeleteRequest: { Key } }) => isAmong(undone?.[physical] ?? [], Key))
    if (left.length === 0) return
    await pause(waitMs)
  }
  throw new DomainError('store_unavailable', 'the store is busy, try again', { retryAfterSeconds: 2 })
}

function isAmong(
  requests: readonly { readonly DeleteRequest?: { readonly Key?: Readonly<Record<string, unknown>> | undefined } }[],
  { pk, sk }: ItemKey,
): boolean {
  return requests.some(({ DeleteRequest }) => DeleteRequest?.Key?.['pk'] === pk && DeleteRequest.Key['sk'] === sk)
}
