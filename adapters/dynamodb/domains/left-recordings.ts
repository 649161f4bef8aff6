/** The notes on recordings of deleted domains: one item for each name, in one partition of the table of recordings. */
import * as z from 'zod/mini'
import { untilDone } from '../../../core/concurrency/retry.ts'
import { joinedNote } from '../../../core/recordings/left-recordings.ts'
import type { LeftRecordings } from '../../../core/recordings/recording-store.ts'
import type { AdapterContext } from '../../context.ts'
import { type Query, deleteItem, getItem, putItem, queryPage, tableName } from '../client.ts'
import { conditionally } from '../errors.ts'
import { parseItem } from '../items.ts'
import { joinKey } from '../key.ts'

const leftItem = z.object({
  domain: z.string(),
  retentionDays: z.number(),
  cdrRetentionDays: z.optional(z.number()),
  hasUsualCdrs: z.optional(z.boolean()),
  leftAt: z.number(),
})

/** Two parts: the recordings of a domain stand under one. */
const leftPartition = joinKey('left', 'by domains')

const itemKey = (domain: string) => ({ pk: leftPartition, sk: joinKey(domain) })

/** See `RecordingStore.leave`. A write whose answer was lost is repeated, and changes nothing then. */
export async function leaveRecordings(context: AdapterContext, left: LeftRecordings): Promise<void> {
  const TableName = tableName(context, 'recordings')
  await untilDone(async () => {
    const known = parseItem(leftItem, await getItem(context, TableName, itemKey(left.domain)))
    const { retentionDays = 0, leftAt = 0 } = known ?? {}
    const unchanged = {
      ConditionExpression: 'retentionDays = :days AND leftAt = :at',
      ExpressionAttributeValues: { ':days': retentionDays, ':at': leftAt },
    }
    const condition = known === undefined ? { ConditionExpression: 'attribute_not_exists(pk)' } : unchanged
    const put = { TableName, Item: { ...itemKey(left.domain), ...joinedNote(known, left) }, ...condition }
    return (await conditionally(() => putItem(context, put))).done || undefined
  })
}

/** See `RecordingStore.listLeft`. */
export async function listLeftRecordings(
  context: AdapterContext,
  limit: number,
  after: string | undefined,
): Promise<LeftRecordings[]> {
  const query: Query = {
    TableName: tableName(context, 'recordings'),
    ConsistentRead: true,
    Limit: limit,
    KeyConditionExpression: after === undefined ? 'pk = :pk' : 'pk = :pk AND sk > :after',
    ExpressionAttributeValues: { ':pk': leftPartition, ...(after !== undefined && { ':after': joinKey(after) }) },
  }
  const found: LeftRecordings[] = []
  let page = await queryPage(context, query, undefined)
  for (;;) {
    found.push(...page.items.flatMap((item) => parseItem(leftItem, item) ?? []))
    if (page.next === undefined || found.length >= limit) return found.slice(0, limit)
    page = await queryPage(context, query, page.next)
  }
}

/** See `RecordingStore.wasLeft`. */
export async function wasLeftBefore(context: AdapterContext, domain: string): Promise<boolean> {
  return (await getItem(context, tableName(context, 'recordings'), itemKey(domain))) !== undefined
}

/** See `RecordingStore.forgetLeft`. */
export async function forgetLeftRecordings(context: AdapterContext, domain: string, before: number): Promise<void> {
  await conditionally(() =>
    deleteItem(context, {
      TableName: tableName(context, 'recordings'),
      Key: itemKey(domain),
      ConditionExpression: 'leftAt < :before',
      ExpressionAttributeValues: { ':before': before },
    }),
  )
}
