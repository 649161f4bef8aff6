import type * as z from 'zod/mini'
import { DomainError } from '../../core/errors.ts'
import type { AdapterContext } from '../context.ts'
import type { Item } from './client.ts'
import { type Delete, type Key, putItem, transactWrite } from './client.ts'
import { type Conditional, conditionally, textOf, transacted } from './errors.ts'

/**
 * Reads a stored item; returns `undefined` for `undefined`. An item of an unexpected form is a defect of the service:
 * `internal_error`.
 */
export function parseItem<T extends z.ZodMiniType>(schema: T, item: Item | undefined): z.infer<T> | undefined {
  if (item === undefined) return undefined
  const parsed = schema.safeParse(item)
  if (parsed.success) return parsed.data
  throw new DomainError('internal_error', 'a stored record cannot be read', { cause: parsed.error })
}

/** Returns an item, unless the end that it carries has passed, even if the store still has it. */
export function unexpired(context: AdapterContext, item: Item | undefined): Item | undefined {
  const end = item?.['expiresAt']
  return typeof end === 'number' && end <= nowSeconds(context) ? undefined : item
}

/** Returns the time in whole seconds, as times to live are kept. */
export function nowSeconds({ clock }: Pick<AdapterContext, 'clock'>): number {
  return Math.floor(clock.now() / 1000)
}

/** Returns epoch milliseconds as the whole seconds of a time to live, rounded up. */
export function expirySeconds(epochMs: number): number {
  return Math.ceil(epochMs / 1000)
}

/** Returns the part of a query that names every item under a partition key, or those whose sort key starts so. */
export function under(pk: string, prefix?: string) {
  return prefix === undefined
    ? { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } }
    : {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
        ExpressionAttributeValues: { ':pk': pk, ':sk': prefix },
      }
}

/**
 * Removes an item under a condition, in a transaction of one part, since only a transaction can be recognized when it
 * is repeated: a removal whose answer was lost still counts as done, although it leaves no mark.
 */
export async function removeOnce(
  context: AdapterContext,
  place: { readonly TableName: string; readonly Key: Key },
  condition: string,
  values?: Item,
): Promise<Conditional> {
  const removal: Delete = {
    ...place,
    ConditionExpression: condition,
    ...(values && { ExpressionAttributeValues: values }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }
  const failed = await transacted(() => transactWrite(context, [{ Delete: removal }]))
  return failed === undefined ? { done: true } : { done: false, stored: failed[0]?.stored }
}

/**
 * Writes an item where none is, or only an expired one; `false` when there is one. A write whose answer was lost and
 * that is tried again finds its own mark and still counts as done; a caller may give the mark of a longer-lived
 * repetition.
 */
export async function putNew(
  context: AdapterContext,
  TableName: string,
  item: Item & Key,
  writeId = context.random.uuid(),
): Promise<boolean> {
  const result = await conditionally(() =>
    putItem(context, {
      TableName,
      Item: { ...item, writeId },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': nowSeconds(context) },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  )
  return result.done || textOf(result.stored, 'writeId') === writeId
}
