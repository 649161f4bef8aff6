import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod/mini'
import type { Delivery, DeliveryAttempt } from '../../core/model.ts'
import type { DeliveryStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import { documentClient, tableName } from './client.ts'
import { conditionally, guarded, textOf } from './errors.ts'
import { type Item, expirySeconds, isExpired, parseItem, putNew, queryAll } from './items.ts'
import { joinKey, numberPart } from './key.ts'
import { shardOf, shards } from './shards.ts'

const deliveryItem = z.object({
  id: z.string(),
  hookId: z.string(),
  domain: z.string(),
  eventName: z.string(),
  uuid: z.string(),
  event: z.object({
    id: z.string(),
    name: z.string(),
    domain: z.string(),
    uuid: z.string(),
    occurredAt: z.number(),
    fields: z.record(z.string(), z.string()),
  }),
  createdAt: z.number(),
  state: z.enum(['pending', 'delivered', 'failed', 'skipped']),
  attempts: z.array(
    z.object({
      at: z.number(),
      status: z.optional(z.number()),
      durationMs: z.number(),
      reason: z.optional(z.string()),
      replySnippet: z.optional(z.string()),
    }),
  ),
})

/** Deliveries in DynamoDB, one partition a hook. While a delivery is pending, the index `by-state` has it too. */
export function dynamoDeliveryStore(context: AdapterContext): DeliveryStore {
  const client = documentClient(context)
  const fromItem = (item: Item | undefined) =>
    item && isExpired(item, context.clock.now()) ? undefined : parseItem(deliveryItem, item)

  return {
    create(delivery) {
      const { random, clock } = context
      return putNew(client, tableName(context, 'deliveries'), toItem(delivery), { random, now: clock.now() })
    },
    async read(domain, hookId, id) {
      const TableName = tableName(context, 'deliveries')
      const Key = deliveryKey(domain, hookId, id)
      const found = await guarded(() => client.send(new GetCommand({ TableName, Key, ConsistentRead: true })))
      return fromItem(found.Item)
    },
    async recordAttempt(delivery, attempt, state) {
      const attemptId = context.random.uuid()
      const update = attemptUpdate(tableName(context, 'deliveries'), {
        delivery,
        attempt,
        state,
        attemptId,
        now: context.clock.now(),
      })
      const result = await conditionally(() => client.send(update))
      return result.done || textOf(result.stored, 'attemptId') === attemptId
    },
    async listPending(before) {
      const TableName = tableName(context, 'deliveries')
      const found = await Promise.all(
        shards.map((shard) =>
          queryAll(client, {
            TableName,
            IndexName: 'by-state',
            KeyConditionExpression: 'gsi_pk = :pk AND gsi_sk < :before',
            ExpressionAttributeValues: { ':pk': pendingPartition(shard), ':before': joinKey(numberPart(before)) },
          }),
        ),
      )
      const deliveries = found.flat().flatMap((item) => fromItem(item) ?? [])
      return deliveries.sort((a, b) => a.createdAt - b.createdAt)
    },
  }
}

/** An attempt whose answer was lost and that the client writes again finds its own mark and is not added twice. */
function attemptUpdate(
  TableName: string,
  made: { delivery: Delivery; attempt: DeliveryAttempt; state: Delivery['state']; attemptId: string; now: number },
): UpdateCommand {
  const { delivery, attempt, state, attemptId } = made
  const leaveIndex = state === 'pending' ? '' : ' REMOVE gsi_pk, gsi_sk'
  return new UpdateCommand({
    TableName,
    Key: deliveryKey(delivery.domain, delivery.hookId, delivery.id),
    UpdateExpression: `SET attempts = list_append(attempts, :attempts), #state = :state, attemptId = :id${leaveIndex}`,
    ConditionExpression:
      '#state = :pending AND expiresAt > :now AND (attribute_not_exists(attemptId) OR attemptId <> :id)',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ':attempts': [attempt],
      ':state': state,
      ':pending': 'pending',
      ':id': attemptId,
      ':now': Math.floor(made.now / 1000),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })
}

function toItem(delivery: Delivery) {
  const pending = {
    gsi_pk: pendingPartition(shardOf(delivery.id)),
    gsi_sk: joinKey(numberPart(delivery.createdAt), delivery.id),
  }
  return {
    ...deliveryKey(delivery.domain, delivery.hookId, delivery.id),
    ...delivery,
    ...(delivery.state === 'pending' ? pending : {}),
    expiresAt: expirySeconds(keptUntil.delivery(delivery)),
  }
}

function deliveryKey(domain: string, hookId: string, id: string) {
  return { pk: joinKey(domain, hookId), sk: joinKey(id) }
}

function pendingPartition(shard: string): string {
  return joinKey('pending', shard)
}
