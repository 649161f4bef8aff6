import * as z from 'zod/mini'
import type { KnownCall, PlacedCall } from '../../../core/channels/known-call.ts'
import type { KnownCallStore, LegKey } from '../../../core/channels/known-call-store.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { WRITE_BATCH_ITEMS, removeBatch } from '../batches.ts'
import { type Item, allPages, deleteItem, getItem, queryAll, tableName, updateItem } from '../client.ts'
import { conditionally } from '../errors.ts'
import { queryIndexed } from '../index-entries.ts'
import { expirySeconds, parseItem, under, unexpired } from '../items.ts'
import { joinKey, shardOf, shards } from '../key.ts'

const callItem = z.object({
  uuid: z.string(),
  engine: z.string(),
  core: z.string(),
  domain: z.string(),
  presenceId: z.string(),
  direction: z.string(),
  callerName: z.string(),
  callerNumber: z.string(),
  calledNumber: z.string(),
  createdAt: z.string(),
  name: z.string(),
  source: z.string(),
  origin: z.string(),
  state: z.enum(['up', 'ended']),
  changedAt: z.number(),
  knownAt: z.number(),
})

const placedItem = z.object({
  domain: z.string(),
  uuid: z.string(),
  placedAt: z.number(),
  showsBy: z.number(),
  state: z.optional(z.enum(['up', 'ended'])),
})

/**
 * Live legs in DynamoDB: one partition a domain, and by engine in eight shards of the index. The API and the connectors
 * write attributes of their own to the item of a call.
 */
export function dynamoKnownCallStore(context: AdapterContext): KnownCallStore {
  const table = () => tableName(context, 'knownCalls')
  const itemsOf = async (domain: string, attribute: 'core' | 'placedAt'): Promise<Item[]> => {
    const filter = { ConsistentRead: true, FilterExpression: `attribute_exists(${attribute})` }
    const items = await queryAll(context, { TableName: table(), ...under(joinKey(domain)), ...filter })
    return items.filter((item) => unexpired(context, item) !== undefined)
  }
  return {
    put: (call) => put(context, call),
    async read(domain, uuid) {
      return callIn(unexpired(context, await getItem(context, table(), callKey({ domain, uuid }))))
    },
    async list(engine) {
      const found = await Promise.all(shards.map((shard) => listShard(context, enginePartition(engine, shard))))
      return found.flat()
    },
    async listOf(domain) {
      return (await itemsOf(domain, 'core')).flatMap((item) => callIn(item) ?? [])
    },
    async remove(legs) {
      for (let first = 0; first < legs.length; first += WRITE_BATCH_ITEMS) {
        await removeBatch(context, table(), legs.slice(first, first + WRITE_BATCH_ITEMS).map(callKey))
      }
    },
    place: (call) => place(context, call),
    answered: (leg, showsBy) => answered(context, leg, showsBy),
    async listPlaced(domain) {
      return (await itemsOf(domain, 'placedAt')).flatMap((item) => placedIn(item) ?? [])
    },
    unplace: (leg) => unplace(context, leg),
  }
}

/** Of two connectors that write the same change, both succeed; one that is late changes nothing. */
async function put(context: AdapterContext, call: KnownCall): Promise<void> {
  const values = {
    ...call,
    gsi_pk: enginePartition(call.engine, shardOf(call.uuid)),
    gsi_sk: joinKey(call.uuid),
    expiresAt: expirySeconds(keptUntil.knownCall(call.knownAt)),
  }
  const names = Object.keys(values)
  const isLater = '#changedAt <= :changedAt'
  await conditionally(() =>
    updateItem(context, {
      TableName: tableName(context, 'knownCalls'),
      Key: callKey(call),
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
      ConditionExpression: call.state === 'ended' ? isLater : `attribute_not_exists(#changedAt) OR ${isLater}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
    }),
  )
}

async function place(context: AdapterContext, call: Omit<PlacedCall, 'isUp'>): Promise<void> {
  await updateItem(context, {
    TableName: tableName(context, 'knownCalls'),
    Key: callKey(call),
    UpdateExpression:
      'SET #domain = :domain, #uuid = :uuid, placedAt = if_not_exists(placedAt, :placedAt), showsBy = :showsBy, expiresAt = :end',
    ExpressionAttributeNames: { '#domain': 'domain', '#uuid': 'uuid' },
    ExpressionAttributeValues: {
      ':domain': call.domain,
      ':uuid': call.uuid,
      ':placedAt': call.placedAt,
      ':showsBy': call.showsBy,
      ':end': expirySeconds(keptUntil.knownCall(call.placedAt)),
    },
  })
}

async function answered(context: AdapterContext, leg: LegKey, showsBy: number): Promise<void> {
  await conditionally(() =>
    updateItem(context, {
      TableName: tableName(context, 'knownCalls'),
      Key: callKey(leg),
      UpdateExpression: 'SET showsBy = :showsBy',
      ConditionExpression: 'attribute_exists(placedAt)',
      ExpressionAttributeValues: { ':showsBy': showsBy },
    }),
  )
}

/** What an engine has reported stays, for its end. */
async function unplace(context: AdapterContext, leg: LegKey): Promise<void> {
  const item = { TableName: tableName(context, 'knownCalls'), Key: callKey(leg) }
  const { done } = await conditionally(() =>
    deleteItem(context, { ...item, ConditionExpression: 'attribute_not_exists(core)' }),
  )
  if (done) return
  const UpdateExpression = 'REMOVE placedAt, showsBy'
  await conditionally(() =>
    updateItem(context, { ...item, UpdateExpression, ConditionExpression: 'attribute_exists(core)' }),
  )
}

async function listShard(context: AdapterContext, partition: string): Promise<KnownCall[]> {
  const query = { KeyConditionExpression: 'gsi_pk = :pk', ExpressionAttributeValues: { ':pk': partition } }
  const items = await allPages((start) => queryIndexed(context, 'knownCalls', query, start))
  return items.flatMap((item) => callIn(unexpired(context, item)) ?? [])
}

/** A call that no engine has reported yet is no leg. */
function callIn(item: Item | undefined): KnownCall | undefined {
  return item?.['core'] === undefined ? undefined : parseItem(callItem, item)
}

function placedIn(item: Item): PlacedCall | undefined {
  const placed = parseItem(placedItem, item)
  if (placed === undefined || placed.state === 'ended') return undefined
  const { state, ...call } = placed
  return { ...call, isUp: state === 'up' }
}

function callKey({ domain, uuid }: LegKey) {
  return { pk: joinKey(domain), sk: joinKey(uuid) }
}

function enginePartition(engine: string, shard: string): string {
  return joinKey('up', engine, shard)
}
