/** Many items at once. What the store, being busy, leaves undone of a batch is asked for again after a pause. */
import * as z from 'zod/mini'
import { DomainError } from '../../core/errors.ts'
import type { AdapterContext } from '../context.ts'
import { type Item, type RawItem, fromRaw, toRaw } from './attributes.ts'
import { type Key, type Query, callFor } from './client.ts'
import { pause } from './errors.ts'

/** DynamoDB reads at most 100 items, and 16 MB, in a batch. */
export const READ_BATCH_ITEMS = 100

/** DynamoDB takes at most 25 writes in a batch. */
export const WRITE_BATCH_ITEMS = 25

/** Waits before the tries that follow the first. */
const BUSY_WAITS_MS = [50, 100, 200, 400, 800, 1600]

const rawItem = z.record(z.string(), z.unknown())
const keyList = z.object({ Keys: z.array(rawItem) })
const deletions = z.array(z.object({ DeleteRequest: z.object({ Key: rawItem }) }))

const readAnswer = z.object({
  Responses: z.optional(z.record(z.string(), z.array(rawItem))),
  UnprocessedKeys: z.optional(z.record(z.string(), keyList)),
})
const writeAnswer = z.object({ UnprocessedItems: z.optional(z.record(z.string(), deletions)) })

/** Which attributes of items are read. */
type Projection = Pick<Query, 'ProjectionExpression' | 'ExpressionAttributeNames'>

/** Reads up to {@link READ_BATCH_ITEMS} items of one table, consistently and in no order; those that are not there are left out. */
export async function readBatch(
  context: AdapterContext,
  TableName: string,
  keys: readonly Key[],
  projection: Projection,
): Promise<Item[]> {
  const items: Item[] = []
  await untilNoneIsLeft(keys, async (Keys) => {
    const RequestItems = { [TableName]: { Keys, ConsistentRead: true, ...projection } }
    const { Responses, UnprocessedKeys } = await callFor(context, 'BatchGetItem', { RequestItems }, readAnswer)
    items.push(...(Responses?.[TableName] ?? []).map(fromRaw))
    return UnprocessedKeys?.[TableName]?.Keys ?? []
  })
  return items
}

/** Removes up to {@link WRITE_BATCH_ITEMS} items of one table, those that are there. */
export async function removeBatch(context: AdapterContext, TableName: string, keys: readonly Key[]): Promise<void> {
  await untilNoneIsLeft(keys, async (left) => {
    const RequestItems = { [TableName]: left.map((key) => ({ DeleteRequest: { Key: key } })) }
    const { UnprocessedItems } = await callFor(context, 'BatchWriteItem', { RequestItems }, writeAnswer)
    return (UnprocessedItems?.[TableName] ?? []).map(({ DeleteRequest }) => DeleteRequest.Key)
  })
}

/** Works on keys until none is left; `work` answers those that it did not get to. */
async function untilNoneIsLeft(
  keys: readonly Key[],
  work: (left: readonly RawItem[]) => Promise<readonly RawItem[]>,
): Promise<void> {
  let left: readonly RawItem[] = keys.map((key) => toRaw({ ...key }))
  if (left.length === 0) return
  for (const waitMs of [0, ...BUSY_WAITS_MS]) {
    await pause(waitMs)
    left = await work(left)
    if (left.length === 0) return
  }
  throw new DomainError('store_unavailable', 'the store is busy, try again', { retryAfterSeconds: 2 })
}
