/** Many items at once. What the store, being busy, leaves undone of a batch is asked for again after a pause. */
import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { retry } from '../../core/concurrency/retry.ts'
import { DomainError } from '../../core/errors.ts'
import type { AdapterContext } from '../context.ts'
import { type Item, type Key, type Query, callStore } from './client.ts'
import { retryDeps } from '../system/system-time.ts'

/** DynamoDB reads at most 100 items, and 16 MB, in a batch. */
export const READ_BATCH_ITEMS = 100

/** DynamoDB takes at most 25 writes in a batch. */
export const WRITE_BATCH_ITEMS = 25

/** A busy table splits or adds capacity within seconds; seven attempts wait up to 3 s, well within a request's time. */
const BUSY = { attempts: 7, backoff: { firstMs: 50, longestMs: 1_600 } }

type Projection = Pick<Query, 'ProjectionExpression' | 'ExpressionAttributeNames'>

/** Reads up to {@link READ_BATCH_ITEMS} items of one table, consistently and in no order; missing ones are left out. */
export async function readBatch(
  context: AdapterContext,
  TableName: string,
  keys: readonly Key[],
  projection: Projection,
): Promise<Item[]> {
  const items: Item[] = []
  await untilNoneIsLeft(keys, async (Keys) => {
    const RequestItems = { [TableName]: { Keys: [...Keys], ConsistentRead: true, ...projection } }
    const command = new BatchGetCommand({ RequestItems })
    const { Responses, UnprocessedKeys } = await callStore(context, (store) => store.send(command))
    items.push(...(Responses?.[TableName] ?? []))
    return UnprocessedKeys?.[TableName]?.Keys ?? []
  })
  return items
}

/** Removes up to {@link WRITE_BATCH_ITEMS} items of one table; missing ones are ignored. */
export async function removeBatch(context: AdapterContext, TableName: string, keys: readonly Key[]): Promise<void> {
  await untilNoneIsLeft(keys, async (left) => {
    const RequestItems = { [TableName]: left.map((key) => ({ DeleteRequest: { Key: key } })) }
    const command = new BatchWriteCommand({ RequestItems })
    const { UnprocessedItems } = await callStore(context, (store) => store.send(command))
    return (UnprocessedItems?.[TableName] ?? []).flatMap(({ DeleteRequest }) => DeleteRequest?.Key ?? [])
  })
}

/** Writes whole items of one table without a condition, any number of them. */
export async function putBatch(context: AdapterContext, TableName: string, items: readonly Item[]): Promise<void> {
  for (let first = 0; first < items.length; first += WRITE_BATCH_ITEMS) {
    await untilNoneIsLeft(items.slice(first, first + WRITE_BATCH_ITEMS), async (left) => {
      const RequestItems = { [TableName]: left.map((Item) => ({ PutRequest: { Item } })) }
      const command = new BatchWriteCommand({ RequestItems })
      const { UnprocessedItems } = await callStore(context, (store) => store.send(command))
      return (UnprocessedItems?.[TableName] ?? []).flatMap(({ PutRequest }) => PutRequest?.Item ?? [])
    })
  }
}

class Unprocessed extends DomainError {
  constructor() {
    super('store_unavailable', 'the store is busy, try again', { retryAfterSeconds: 2 })
  }
}

/** Works on items, or their keys, until none is left; `work` answers those that it did not get to. */
async function untilNoneIsLeft(
  items: readonly (Key | Item)[],
  work: (left: readonly Item[]) => Promise<readonly Item[]>,
): Promise<void> {
  let left: readonly Item[] = items.map((item) => ({ ...item }))
  if (left.length === 0) return
  const workOnRest = async () => {
    left = await work(left)
    if (left.length > 0) throw new Unprocessed()
  }
  await retry(workOnRest, retryDeps, { ...BUSY, mayPass: (problem) => problem instanceof Unprocessed })
}
