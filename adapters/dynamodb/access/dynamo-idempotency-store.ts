import * as z from 'zod/mini'
import { untilDone } from '../../../core/concurrency/retry.ts'
import type { IdempotencyStore, RequestKey } from '../../../core/requests/idempotency-key.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { type Item, getItem, tableName, updateItem } from '../client.ts'
import { type Conditional, conditionally, textOf } from '../errors.ts'
import { expirySeconds, parseItem, putNew, unexpired } from '../items.ts'
import { joinKey } from '../key.ts'

const requestKeyItem = z.object({
  domain: z.string(),
  key: z.string(),
  fingerprint: z.string(),
  seed: z.string(),
  claimId: z.string(),
  leaseUntil: z.number(),
  createdAt: z.number(),
  answer: z.optional(z.string()),
})

const HELD = 'claimId = :claim AND attribute_not_exists(answer)'

/** Keys of requests in DynamoDB, one partition a domain. */
export function dynamoIdempotencyStore(context: AdapterContext): IdempotencyStore {
  function change({ domain, key }: RequestKey, update: string, claim: string, values: Item): Promise<Conditional> {
    return conditionally(() =>
      updateItem(context, {
        TableName: tableName(context, 'idempotency'),
        Key: itemKey(domain, key),
        UpdateExpression: update,
        ConditionExpression: HELD,
        ExpressionAttributeValues: { ':claim': claim, ...values },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    )
  }

  return {
    async create(key) {
      const TableName = tableName(context, 'idempotency')
      const item = { ...itemKey(key.domain, key.key), ...key, expiresAt: expirySeconds(keptUntil.requestKey(key)) }
      const { stored } = await untilDone(async () => {
        if (await putNew(context, TableName, item)) return { stored: undefined }
        const stored = unexpired(context, await getItem(context, TableName, itemKey(key.domain, key.key)))
        // Between the two it may have reached its end, and the way is free.
        return stored && { stored: parseItem(requestKeyItem, stored) }
      })
      return stored
    },
    async takeOver(key, previous) {
      const values = { ':new': key.claimId, ':until': key.leaseUntil }
      const result = await change(key, 'SET claimId = :new, leaseUntil = :until', previous, values)
      // A change whose answer was lost and that is repeated finds its own write; the same applies below.
      return result.done || textOf(result.stored, 'claimId') === key.claimId
    },
    async complete(key, answer) {
      const result = await change(key, 'SET answer = :answer', key.claimId, { ':answer': answer })
      const isOwn = !result.done && textOf(result.stored, 'claimId') === key.claimId
      return result.done || (isOwn && textOf(result.stored, 'answer') === answer)
    },
    async release(key) {
      await change(key, 'SET leaseUntil = :until', key.claimId, { ':until': 0 })
    },
  }
}

function itemKey(domain: string, key: string) {
  return { pk: joinKey(domain), sk: joinKey(key) }
}
