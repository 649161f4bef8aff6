import * as z from 'zod/mini'
import type { SubscriptionReader } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { getItem, scanAll, tableName } from './client.ts'
import { subscriptionsKey } from './hook-item.ts'
import { parseItem } from './items.ts'
import { joinKey } from './key.ts'

const versionItem = z.object({ version: z.number() })
const wantedItem = z.object({ domain: z.string(), event: z.string() })

/** What the hooks of all tenants want, from DynamoDB. A list read after a version is at least as new as it. */
export function dynamoSubscriptionReader(context: AdapterContext): SubscriptionReader {
  return {
    async version() {
      const found = await getItem(context, tableName(context, 'hooks'), subscriptionsKey)
      return parseItem(versionItem, found)?.version ?? 0
    },
    async list() {
      const items = await scanAll(context, {
        TableName: tableName(context, 'hooks'),
        ConsistentRead: true,
        // Only hooks have `enable`: the counts and the version beside them are passed over.
        FilterExpression: '#enable = :yes',
        ProjectionExpression: '#domain, #event',
        ExpressionAttributeNames: { '#enable': 'enable', '#domain': 'domain', '#event': 'event' },
        ExpressionAttributeValues: { ':yes': true },
      })
      const wanted = items.flatMap((item) => parseItem(wantedItem, item) ?? [])
      return [...new Map(wanted.map((pair) => [joinKey(pair.domain, pair.event), pair])).values()]
    },
  }
}
