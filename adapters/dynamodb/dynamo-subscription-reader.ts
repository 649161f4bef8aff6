import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod/mini'
import type { SubscriptionReader } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { documentClient, tableName } from './client.ts'
import { guarded } from './errors.ts'
import { subscriptionsKey } from './hook-item.ts'
import { type Item, parseItem } from './items.ts'
import { joinKey } from './key.ts'

const versionItem = z.object({ version: z.number() })
const wantedItem = z.object({ domain: z.string(), event: z.string() })

/** What the hooks of all tenants want, from DynamoDB. A list read after a version is at least as new as it. */
export function dynamoSubscriptionReader(context: AdapterContext): SubscriptionReader {
  const client = documentClient(context)
  return {
    async version() {
      const TableName = tableName(context, 'hooks')
      const found = await guarded(() =>
        client.send(new GetCommand({ TableName, Key: subscriptionsKey, ConsistentRead: true })),
      )
      return parseItem(versionItem, found.Item)?.version ?? 0
    },
    async list() {
      const wanted = new Map<string, z.infer<typeof wantedItem>>()
      let start: Item | undefined
      do {
        const page = await guarded(() => client.send(enabledHooks(tableName(context, 'hooks'), start)))
        for (const item of page.Items ?? []) {
          const pair = parseItem(wantedItem, item)
          if (pair) wanted.set(joinKey(pair.domain, pair.event), pair)
        }
        start = page.LastEvaluatedKey
      } while (start !== undefined)
      return [...wanted.values()]
    },
  }
}

/** Only hooks have `enable`: the counts and the version beside them are passed over. */
function enabledHooks(TableName: string, ExclusiveStartKey: Item | undefined): ScanCommand {
  return new ScanCommand({
    TableName,
    ConsistentRead: true,
    FilterExpression: '#enable = :yes',
    ProjectionExpression: '#domain, #event',
    ExpressionAttributeNames: { '#enable': 'enable', '#domain': 'domain', '#event': 'event' },
    ExpressionAttributeValues: { ':yes': true },
    ExclusiveStartKey,
  })
}
