import * as z from 'zod/mini'
import type { Delivery, DeliveryEvent } from '../../../core/hooks/delivery/delivery.ts'
import type { JsonValue } from '../../../core/hooks/definition/event-fields.ts'
import { keptUntil } from '../../retention.ts'
import { expirySeconds } from '../items.ts'
import { joinKey, numberPart, shardOf } from '../key.ts'

const attemptItem = z.object({
  at: z.number(),
  status: z.optional(z.number()),
  durationMs: z.number(),
  reason: z.optional(z.string()),
  replySnippet: z.optional(z.string()),
  replacedHeaders: z.optional(z.array(z.string())),
})

/** A delivery as it is stored. */
export const deliveryItem = z.object({
  id: z.string(),
  hookId: z.string(),
  domain: z.string(),
  eventId: z.string(),
  eventName: z.string(),
  uuid: z.string(),
  sequence: z.number(),
  requestId: z.optional(z.string()),
  createdAt: z.number(),
  state: z.enum(['pending', 'delivered', 'failed', 'skipped']),
  attempts: z.array(attemptItem),
  tries: z.number(),
  earlierTries: z.number(),
  triedFor: z.optional(z.number()),
  nextAttemptAt: z.optional(z.number()),
  begun: z.record(z.string(), z.number()),
})

const jsonValue: z.ZodMiniType<JsonValue> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(jsonValue), z.record(z.string(), jsonValue)]),
)

/** The fields of an event. */
export const payloadFields = z.record(z.string(), jsonValue)

/** The stored payload of a delivery; without its fields if these are in the object store. */
export const deliveryEventItem = z.object({
  event: z.object({
    id: z.string(),
    name: z.string(),
    domain: z.string(),
    uuid: z.string(),
    occurredAt: z.number(),
    fields: z.optional(payloadFields),
  }),
})

/** Returns the key of a delivery: under its hook, in the order of ids and therefore of events. */
export function deliveryKey({ domain, hookId, id }: Pick<Delivery, 'domain' | 'hookId' | 'id'>) {
  return { pk: joinKey(domain, hookId), sk: joinKey(id) }
}

/** Returns the key of a delivery's event; contracts/domain-partitions.ts names the partition, too. */
export function deliveryEventKey(domain: string, eventId: string) {
  return { pk: joinKey('events of', domain, 'all'), sk: joinKey(eventId) }
}

/** Returns the index entry of a pending delivery: by the moment of its next attempt. */
export function dueKey(id: string, at: number) {
  return { gsi_pk: duePartition(shardOf(id)), gsi_sk: dueSort(id, at) }
}

/** See {@link dueKey}. */
export function duePartition(shard: string): string {
  return joinKey('due', shard)
}

/** See {@link dueKey}. */
export function dueSort(id: string, at: number): string {
  return joinKey(numberPart(at), id)
}

/** Returns the index entry of a delivery that failed for good: its dead letter. */
export function failedKey({ domain, id }: Pick<Delivery, 'domain' | 'id'>) {
  return { gsi_pk: failedPartition(domain), gsi_sk: joinKey(id) }
}

/** See {@link failedKey}. */
export function failedPartition(domain: string): string {
  return joinKey('failed', domain)
}

/** Returns a delivery as an item, in the index of due ones if it is pending. */
export function toDeliveryItem(delivery: Delivery) {
  const { id, nextAttemptAt } = delivery
  return { ...toUnlistedItem(delivery), ...(nextAttemptAt === undefined ? {} : dueKey(id, nextAttemptAt)) }
}

/** Returns a delivery as an item that is not in the index of due ones. */
export function toUnlistedItem(delivery: Delivery) {
  return {
    ...deliveryKey(delivery),
    ...delivery,
    ...(delivery.state === 'failed' ? failedKey(delivery) : {}),
    expiresAt: expirySeconds(keptUntil.delivery(delivery)),
  }
}

/** Returns the event of deliveries as an item, without its fields where they are kept elsewhere. */
export function toDeliveryEventItem(event: DeliveryEvent, keptAt: number, isLarge = false) {
  const { fields: _, ...rest } = event
  return {
    ...deliveryEventKey(event.domain, event.id),
    event: isLarge ? rest : event,
    expiresAt: expirySeconds(keptUntil.deliveryEvent(keptAt)),
  }
}
