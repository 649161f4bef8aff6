import * as z from 'zod/mini'
import type { Delivery, DeliveryAttempt } from '../../core/model.ts'
import type { DeliveryStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import { type Update, getItem, queryAll, tableName, updateItem } from './client.ts'
import { conditionally, textOf } from './errors.ts'
import { expirySeconds, nowSeconds, parseItem, putNew, unexpired } from './items.ts'
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
  return {
    create: (delivery) => putNew(context, tableName(context, 'deliveries'), toItem(delivery)),
    async read(domain, hookId, id) {
      const found = await getItem(context, tableName(context, 'deliveries'), deliveryKey(domain, hookId, id))
      return parseItem(deliveryItem, unexpired(context, found))
    },
    async recordAttempt(delivery, attempt, state) {
      const attemptId = context.random.uuid()
      const update = attemptUpdate(context, { delivery, attempt, state, attemptId })
      const result = await conditionally(() => updateItem(context, update))
      return result.done || textOf(result.stored, 'attemptId') === attemptId
    },
    async listPending(before) {
      const found = await Promise.all(
        shards.map((shard) =>
          queryAll(context, {
            TableName: tableName(context, 'deliveries'),
            IndexName: 'by-state',
            KeyConditionExpression: 'gsi_pk = :pk AND gsi_sk < :before',
            ExpressionAttributeValues: { ':pk': pendingPartition(shard), ':before': joinKey(numberPart(before)) },
          }),
        ),
      )
      const deliveries = found.flat().flatMap((item) => parseItem(deliveryItem, unexpired(context, item)) ?? [])
      return deliveries.sort((a, b) => a.createdAt - b.createdAt)
    },
  }
}

/** An attempt whose answer was lost and that the client writes again finds its own mark and is not added twice. */
function attemptUpdate(
  context: AdapterContext,
  made: { delivery: Delivery; attempt: DeliveryAttempt; state: Delivery['state']; attemptId: string },
): Update {
  const { delivery, attempt, state, attemptId } = made
  const leaveIndex = state === 'pending' ? '' : ' REMOVE gsi_pk, gsi_sk'
  return {
    TableName: tableName(context, 'deliveries'),
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
      ':now': nowSeconds(context),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }
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
