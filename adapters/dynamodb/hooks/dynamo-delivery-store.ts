import type {
  AttemptOutcome,
  DeliveryKey,
  DeliveryRange,
  DeliveryStore,
} from '../../../core/hooks/delivery/delivery-store.ts'
import type { Delivery } from '../../../core/hooks/delivery/delivery.ts'
import type { AdapterContext } from '../../context.ts'
import {
  type Item,
  type Query,
  type Update,
  getItem,
  queryPage,
  tableName,
  transactWrite,
  updateItem,
} from '../client.ts'
import { deliveryItem, deliveryKey, duePartition, dueSort, failedPartition, toDeliveryItem } from './delivery-item.ts'
import { type PayloadFiles, deliveryPayloads } from './delivery-payloads.ts'
import { s3PayloadFiles } from '../../s3/s3-objects.ts'
import { addition, beginning, decision, newPlan, reopening } from './delivery-writes.ts'
import { conditionally, numberOf, textOf, transacted } from '../errors.ts'
import { queryIndexed } from '../index-entries.ts'
import { nowSeconds, parseItem, putNew, unexpired } from '../items.ts'
import { joinKey, numberPart, shards } from '../key.ts'

/**
 * Deliveries in DynamoDB, one partition a hook, and what they carry, one partition a domain. While a delivery is
 * pending, the index `keys-by-state` has it by its next attempt; when it has failed for good, by its domain. What is
 * too large for the table is in `files`, the payloads' bucket where not given.
 */
export function dynamoDeliveryStore(
  context: AdapterContext,
  files: PayloadFiles = s3PayloadFiles(context),
): DeliveryStore {
  const read = async (name: Pick<Delivery, 'domain' | 'hookId' | 'id'>) =>
    deliveryIn(context, await getItem(context, tableName(context, 'deliveries'), deliveryKey(name)))
  return {
    create: (delivery) => putNew(context, tableName(context, 'deliveries'), toDeliveryItem(delivery)),
    async createTogether(deliveries) {
      const parts = deliveries.map((delivery) => ({
        Put: {
          TableName: tableName(context, 'deliveries'),
          Item: toDeliveryItem(delivery),
          ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
          ExpressionAttributeValues: { ':now': nowSeconds(context) },
        },
      }))
      return (await transacted(() => transactWrite(context, parts))) === undefined
    },
    read: (domain, hookId, id) => read({ domain, hookId, id }),
    ...deliveryPayloads(context, files),
    async beginAttempt(delivery, run, at) {
      return (await conditionally(() => updateItem(context, beginning(context, delivery, run, at)))).done
    },
    recordAttempt: (delivery, outcome) => record(context, delivery, outcome),
    async recordTogether(attempts) {
      const parts = attempts.map(({ delivery, outcome }) => {
        const { ReturnValuesOnConditionCheckFailure: _, ...Update } = decision(context, delivery, outcome, outcome.run)
        return { Update }
      })
      return (await transacted(() => transactWrite(context, parts))) === undefined
    },
    async reschedule(delivery, at) {
      const result = await conditionally(() => updateItem(context, newPlan(context, delivery, at)))
      // With the moment that was wanted it is this very write, whose answer was lost, or one that wanted the same.
      return result.done || (textOf(result.stored, 'state') === 'pending' && isPlanned(result.stored, delivery, at))
    },
    async reopen(delivery, at) {
      let opened: Item | undefined
      const result = await conditionally(async () => {
        opened = await updateItem(context, reopening(context, delivery, at))
      })
      if (result.done) return deliveryIn(context, opened)
      const stored = deliveryIn(context, result.stored)
      const isThis = stored?.state === 'pending' && stored.nextAttemptAt === at && stored.earlierTries === stored.tries
      return isThis && stored.tries > 0 ? stored : undefined
    },
    async listDue(before, limit, after) {
      const unreadable: string[] = []
      const wanted = { before, limit, after, unreadable }
      const found = await Promise.all(shards.map((shard) => dueOf(context, shard, wanted)))
      const bySort = (delivery: Delivery) => dueSort(delivery.id, delivery.nextAttemptAt ?? 0)
      const inOrder = found.flat().sort((a, b) => (bySort(a) < bySort(b) ? -1 : 1))
      return { deliveries: inOrder.slice(0, limit), unreadable }
    },
    async listFailed(domain, limit, after) {
      const query = {
        ScanIndexForward: false,
        KeyConditionExpression: after === undefined ? 'gsi_pk = :pk' : 'gsi_pk = :pk AND gsi_sk < :after',
        ExpressionAttributeValues: {
          ':pk': failedPartition(domain),
          ...(after === undefined ? {} : { ':after': joinKey(after.id) }),
        },
      }
      return pageOf(context, query, limit)
    },
    list: (domain, hookId, range) => listOf(context, { domain, hookId }, range),
  }
}

async function listOf(
  context: AdapterContext,
  hook: Pick<Delivery, 'domain' | 'hookId'>,
  { newestFirst, limit, after }: DeliveryRange,
): Promise<Delivery[]> {
  const { pk, sk } = deliveryKey({ ...hook, id: after ?? '' })
  const startsAfter = newestFirst ? 'sk < :after' : 'sk > :after'
  const query: Query = {
    TableName: tableName(context, 'deliveries'),
    ConsistentRead: true,
    ScanIndexForward: !newestFirst,
    Limit: limit,
    KeyConditionExpression: after === undefined ? 'pk = :pk' : `pk = :pk AND ${startsAfter}`,
    ExpressionAttributeValues: { ':pk': pk, ...(after === undefined ? {} : { ':after': sk }) },
  }
  const found: Delivery[] = []
  let start: Item | undefined
  do {
    const { items, next } = await queryPage(context, query, start)
    found.push(...items.flatMap((item) => deliveryIn(context, item) ?? []))
    start = next
  } while (start !== undefined && found.length < limit)
  return found.slice(0, limit)
}

interface DueRange {
  readonly before: number
  readonly limit: number
  readonly after: DeliveryKey | undefined
  readonly unreadable: string[]
}

function dueOf(context: AdapterContext, shard: string, range: DueRange): Promise<Delivery[]> {
  const { before, limit, after, unreadable } = range
  const query = {
    KeyConditionExpression: 'gsi_pk = :pk AND gsi_sk BETWEEN :from AND :before',
    ExpressionAttributeValues: {
      ':pk': duePartition(shard),
      // With this suffix a key sorts after the delivery itself and before every other.
      ':from': after === undefined ? numberPart(0) : `${dueSort(after.id, after.nextAttemptAt ?? 0)}!`,
      // Every key of that very moment sorts after this one.
      ':before': numberPart(before),
    },
  }
  return pageOf(context, query, limit, (item) => {
    const delivery = readableIn(context, item)
    if (delivery === 'unreadable') unreadable.push(`${textOf(item, 'pk') ?? ''} ${textOf(item, 'sk') ?? ''}`)
    return delivery === 'unreadable' ? undefined : delivery
  })
}

/** The first `limit` deliveries that a query of the index finds, though what is past its end is passed over. */
async function pageOf(
  context: AdapterContext,
  query: { readonly KeyConditionExpression: string; readonly ExpressionAttributeValues: Item },
  limit: number,
  readItem = (item: Item) => deliveryIn(context, item),
): Promise<Delivery[]> {
  const found: Delivery[] = []
  let start: Item | undefined
  do {
    const page = await queryIndexed(context, 'deliveries', { ...query, Limit: limit }, start)
    found.push(...page.items.flatMap((item) => readItem(item) ?? []))
    start = page.next
  } while (start !== undefined && found.length < limit)
  return found.slice(0, limit)
}

function deliveryIn(context: AdapterContext, item: Item | undefined): Delivery | undefined {
  return parseItem(deliveryItem, unexpired(context, item))
}

/** For searches over all tenants: what one of them has there must not end them. */
function readableIn(context: AdapterContext, item: Item): Delivery | 'unreadable' | undefined {
  try {
    return deliveryIn(context, item)
  } catch {
    return 'unreadable'
  }
}

function isPlanned(stored: Item | undefined, { tries }: Delivery, at: number): boolean {
  return numberOf(stored, 'tries') === tries && numberOf(stored, 'nextAttemptAt') === at
}

async function record(
  context: AdapterContext,
  delivery: Delivery,
  outcome: AttemptOutcome,
): Promise<'decided' | 'added' | 'gone'> {
  const { run } = outcome
  const mark = run ?? context.random.uuid()
  const result = await changed(context, decision(context, delivery, outcome, mark))
  if (result.done || textOf(result.stored, 'decidedBy') === mark) return 'decided'
  if (deliveryIn(context, result.stored) === undefined) return 'gone'
  if (run === undefined) return 'added'
  const added = await changed(context, addition(context, delivery, outcome, { run, hasRoom: true }))
  // Nothing happens where the run was ended before.
  if (!added.done) await changed(context, addition(context, delivery, outcome, { run, hasRoom: false }))
  return 'added'
}

function changed(context: AdapterContext, update: Update) {
  return conditionally(() => updateItem(context, update))
}
