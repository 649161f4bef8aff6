import * as z from 'zod/mini'
import type { KnownCall } from '../../../core/channels/known-call.ts'
import type { KnownCallStore } from '../../../core/channels/known-call-store.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { WRITE_BATCH_ITEMS, putBatch, readBatch, removeBatch } from '../batches.ts'
import { allPages, getItem, tableName } from '../client.ts'
import { queryIndexed } from '../index-entries.ts'
import { expirySeconds, parseItem, unexpired } from '../items.ts'
import { joinKey } from '../key.ts'
import { shardOf, shards } from '../shards.ts'

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
  knownAt: z.number(),
})

/** Calls that connectors know in DynamoDB: one partition a domain, and by engine in eight shards of the index. */
export function dynamoKnownCallStore(context: AdapterContext): KnownCallStore {
  const table = () => tableName(context, 'knownCalls')
  return {
    put: (calls) => putBatch(context, table(), calls.map(toItem)),
    async read(domain, uuid) {
      return parseItem(callItem, unexpired(context, await getItem(context, table(), callKey(domain, uuid))))
    },
    async list(engine) {
      const found = await Promise.all(shards.map((shard) => listShard(context, enginePartition(engine, shard))))
      return found.flat()
    },
    async readEach(legs) {
      const keys = legs.map(({ domain, uuid }) => callKey(domain, uuid))
      const items = await readBatch(context, table(), keys, {})
      return items.flatMap((item) => parseItem(callItem, unexpired(context, item)) ?? [])
    },
    async remove(legs) {
      for (let first = 0; first < legs.length; first += WRITE_BATCH_ITEMS) {
        const keys = legs.slice(first, first + WRITE_BATCH_ITEMS).map(({ domain, uuid }) => callKey(domain, uuid))
        await removeBatch(context, table(), keys)
      }
    },
  }
}

async function listShard(context: AdapterContext, partition: string): Promise<KnownCall[]> {
  const query = { KeyConditionExpression: 'gsi_pk = :pk', ExpressionAttributeValues: { ':pk': partition } }
  const items = await allPages((start) => queryIndexed(context, 'knownCalls', query, start))
  return items.flatMap((item) => parseItem(callItem, unexpired(context, item)) ?? [])
}

function toItem(call: KnownCall) {
  return {
    ...callKey(call.domain, call.uuid),
    ...call,
    gsi_pk: enginePartition(call.engine, shardOf(call.uuid)),
    gsi_sk: joinKey(call.uuid),
    expiresAt: expirySeconds(keptUntil.knownCall(call)),
  }
}

function callKey(domain: string, uuid: string) {
  return { pk: joinKey(domain), sk: joinKey(uuid) }
}

function enginePartition(engine: string, shard: string): string {
  return joinKey('up', engine, shard)
}
