import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod/mini'
import type { RequestKey } from '../../core/idempotency/request-key.ts'
import type { IdempotencyStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import { documentClient, tableName } from './client.ts'
import { conditionally, guarded } from './errors.ts'
import { expirySeconds, isExpired, parseItem, putNew } from './items.ts'
import { joinKey } from './key.ts'

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

/** The condition of a key that is held by a claim and has no answer. */
const HELD = 'claimId = :claim AND attribute_not_exists(answer)'

/** Keys of requests in DynamoDB, one partition a domain. */
export function dynamoIdempotencyStore(context: AdapterContext): IdempotencyStore {
  const client = documentClient(context)

  async function change({ domain, key }: RequestKey, update: string, claim: string, values: object): Promise<boolean> {
    const result = await conditionally(() =>
      client.send(
        new UpdateCommand({
          TableName: tableName(context, 'idempotency'),
          Key: itemKey(domain, key),
          UpdateExpression: update,
          ConditionExpression: HELD,
          ExpressionAttributeValues: { ':claim': claim, ...values },
        }),
      ),
    )
    return result.done
  }

  return {
    async create(key) {
      const TableName = tableName(context, 'idempotency')
      const item = { ...itemKey(key.domain, key.key), ...key, expiresAt: expirySeconds(keptUntil.requestKey(key)) }
      for (;;) {
        const now = context.clock.now()
        if (await putNew(client, TableName, item, { random: context.random, now })) return undefined
        const command = new GetCommand({ TableName, Key: itemKey(key.domain, key.key), ConsistentRead: true })
        const { Item } = await guarded(() => client.send(command))
        // Between the two it may have reached its end, and the way is free.
        if (Item !== undefined && !isExpired(Item, now)) return parseItem(requestKeyItem, Item)
      }
    },
    takeOver: (key, previous) =>
      change(key, 'SET claimId = :new, leaseUntil = :until', previous, {
        ':new': key.claimId,
        ':until': key.leaseUntil,
      }),
    complete: (key, answer) => change(key, 'SET answer = :answer', key.claimId, { ':answer': answer }),
    async release(key) {
      await change(key, 'SET leaseUntil = :until', key.claimId, { ':until': 0 })
    },
  }
}

function itemKey(domain: string, key: string) {
  return { pk: joinKey(domain), sk: joinKey(key) }
}
