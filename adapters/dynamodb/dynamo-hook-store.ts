import type { Hook } from '../../core/model.ts'
import type { HookStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { type Part, getItem, queryAll, tableName, transactWrite } from './client.ts'
import { transacted } from './errors.ts'
import { hookCountKey, hookItem, hookKey, hookPartition, subscriptionsKey, toHookItem } from './hook-item.ts'
import { parseItem, under } from './items.ts'

/** Hooks in DynamoDB, one partition a domain. */
export function dynamoHookStore(context: AdapterContext): HookStore {
  return {
    async create(hooks, limit) {
      if (hooks.length === 0) return true
      const parts = creation(tableName(context, 'hooks'), hooks, limit)
      const failed = await transacted(() => transactWrite(context, parts))
      if (failed === undefined) return true
      const [, , ...written] = failed
      return written.some((hook) => hook.failed)
    },
    async read(domain, id) {
      return parseItem(hookItem, await getItem(context, tableName(context, 'hooks'), hookKey(domain, id)))
    },
    async list(domain) {
      const TableName = tableName(context, 'hooks')
      const items = await queryAll(context, { TableName, ConsistentRead: true, ...under(hookPartition(domain)) })
      const hooks = items.flatMap((item) => parseItem(hookItem, item) ?? [])
      // The items come in the order of their ids, which decides between hooks of the same moment.
      return hooks.sort((a, b) => a.createdAt - b.createdAt)
    },
  }
}

/** The count of the domain, the hooks, and the version that tells the connectors to look again: all or none. */
function creation(TableName: string, hooks: readonly Hook[], limit: number): Part[] {
  const domain = hooks[0]?.domain ?? ''
  return [
    {
      Update: {
        TableName,
        Key: hookCountKey(domain),
        UpdateExpression: 'ADD hooks :added',
        ConditionExpression: ':added <= :limit AND (attribute_not_exists(pk) OR hooks <= :room)',
        ExpressionAttributeValues: { ':added': hooks.length, ':limit': limit, ':room': limit - hooks.length },
      },
    },
    {
      Update: {
        TableName,
        Key: subscriptionsKey,
        UpdateExpression: 'ADD version :one',
        ExpressionAttributeValues: { ':one': 1 },
      },
    },
    ...hooks.map((hook) => ({
      Put: { TableName, Item: toHookItem(hook), ConditionExpression: 'attribute_not_exists(pk)' },
    })),
  ]
}
