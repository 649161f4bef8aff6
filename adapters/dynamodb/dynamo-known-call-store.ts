import * as z from 'zod/mini'
import type { KnownCall } from '../../core/channels/known-call.ts'
import type { KnownCallStore } from '../../core/channels/known-call-store.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import { deleteItem, getItem, putItem, queryAll, tableName } from './client.ts'
import { conditionally } from './errors.ts'
import { expirySeconds, nowSeconds, parseItem, unexpired } from './items.ts'
import { joinKey } from './key.ts'
import { shardOf, shards } from './shards.ts'

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
  /** Absent in calls that an earlier version stored. */
  source: z._default(z.string(), ''),
  origin: z.string(),
  knownAt: z.number(),
})

/** Calls that connectors know in DynamoDB: one partition a domain, and by engine in eight shards of the index. */
export function dynamoKnownCallStore(context: AdapterContext): KnownCallStore {
  const table = () => tableName(context, 'knownCalls')
  return {
    async put(call) {
      await conditionally(() =>
        putItem(context, {
          TableName: table(),
          Item: {
            ...callKey(call.domain, call.uuid),
            ...call,
            gsi_pk: enginePartition(call.engine, shardOf(call.uuid)),
            gsi_sk: joinKey(call.uuid),
            expiresAt: expirySeconds(keptUntil.knownCall(call)),
          },
          ConditionExpression:
            'attribute_not_exists(pk) OR engine <> :engine OR core <> :core OR presenceId <> :presenceId OR expiresAt <= :now',
          ExpressionAttributeValues: {
            ':engine': call.engine,
            ':core': call.core,
            ':presenceId': call.presenceId,
            ':now': nowSeconds(context),
          },
        }),
      )
    },
    async read(domain, uuid) {
      return parseItem(callItem, unexpired(context, await getItem(context, table(), callKey(domain, uuid))))
    },
    async list(engine) {
      const found = await Promise.all(shards.map((shard) => listShard(context, enginePartition(engine, shard))))
      return found.flat()
    },
    async remove(domain, uuid) {
      await deleteItem(context, { TableName: table(), Key: callKey(domain, uuid) })
    },
  }
}

async function listShard(context: AdapterContext, partition: string): Promise<KnownCall[]> {
  const items = await queryAll(context, {
    TableName: tableName(context, 'knownCalls'),
    IndexName: 'by-state',
    KeyConditionExpression: 'gsi_pk = :pk',
    ExpressionAttributeValues: { ':pk': partition },
  })
  return items.flatMap((item) => parseItem(callItem, unexpired(context, item)) ?? [])
}

function callKey(domain: string, uuid: string) {
  return { pk: joinKey(domain), sk: joinKey(uuid) }
}

function enginePartition(engine: string, shard: string): string {
  return joinKey('up', engine, shard)
}
