import { type DynamoDBDocumentClient, PutCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import type * as z from 'zod/mini'
import { DomainError } from '../../core/errors.ts'
import type { Randomness } from '../../core/ports.ts'
import { conditionally, guarded, textOf } from './errors.ts'

/** An item as the document client gives it. */
export type Item = Readonly<Record<string, unknown>>

/** Reads a stored item; `undefined` stays what it is. An item of another form is a fault of ours: `internal_error`. */
export function parseItem<T extends z.ZodMiniType>(schema: T, item: Item | undefined): z.infer<T> | undefined {
  if (item === undefined) return undefined
  const parsed = schema.safeParse(item)
  if (parsed.success) return parsed.data
  throw new DomainError('internal_error', 'a stored record cannot be read', { cause: parsed.error })
}

/** Whether the end that an item carries has passed, even if the store still has it. */
export function isExpired(item: Item, now: number): boolean {
  const end = item['expiresAt']
  return typeof end === 'number' && end * 1000 <= now
}

/** Epoch milliseconds as the whole seconds that a time to live is kept in, never earlier. */
export function expirySeconds(epochMs: number): number {
  return Math.ceil(epochMs / 1000)
}

/** Every item that a query finds, page by page (1 MiB each). */
export async function queryAll(client: DynamoDBDocumentClient, input: QueryCommandInput): Promise<Item[]> {
  const items: Item[] = []
  let start: QueryCommandInput['ExclusiveStartKey']
  do {
    const page = await guarded(() => client.send(new QueryCommand({ ...input, ExclusiveStartKey: start })))
    items.push(...(page.Items ?? []))
    start = page.LastEvaluatedKey
  } while (start !== undefined)
  return items
}

/** The part of a query's input that names every item under a partition key, or those whose sort key starts so. */
export function under(pk: string, prefix?: string) {
  return prefix === undefined
    ? { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } }
    : {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
        ExpressionAttributeValues: { ':pk': pk, ':sk': prefix },
      }
}

/**
 * Writes an item where none is, or only an expired one; `false` when there is one. A write whose answer was lost and
 * that is tried again finds its own mark and still counts as done; a caller may give the mark of a longer-lived repetition.
 */
export async function putNew(
  client: DynamoDBDocumentClient,
  table: string,
  item: Item,
  { random, now, writeId = random.uuid() }: { random: Randomness; now: number; writeId?: string },
): Promise<boolean> {
  const result = await conditionally(() =>
    client.send(
      new PutCommand({
        TableName: table,
        Item: { ...item, writeId },
        ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
        ExpressionAttributeValues: { ':now': Math.floor(now / 1000) },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    ),
  )
  return result.done || textOf(result.stored, 'writeId') === writeId
}
