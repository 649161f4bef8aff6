import * as z from 'zod/mini'
import type { SubscriptionReader } from '../../../core/hooks/definition/hook-store.ts'
import type { AdapterContext } from '../../context.ts'
import { getItem, scanAll, tableName } from '../client.ts'
import { subscriptionsKey } from './hook-item.ts'
import { parseItem } from '../items.ts'
import { joinKey } from '../key.ts'

const versionItem = z.object({ version: z.number() })
const namedItem = z.object({ domain: z.string(), event: z.string() })

/**
 * Reads the event names of all tenants' hooks from DynamoDB. A list that is read after a version is at least as new as
 * that version.
 */
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
        // Only hooks have `enable`: the counts and the version next to them are skipped.
        FilterExpression: 'attribute_exists(#enable)',
        ProjectionExpression: '#domain, #event',
        ExpressionAttributeNames: { '#enable': 'enable', '#domain': 'domain', '#event': 'event' },
      })
      const named = items.flatMap((item) => parseItem(namedItem, item) ?? [])
      return [...new Map(named.map((pair) => [joinKey(pair.domain, pair.event), pair])).values()]
    },
  }
}
