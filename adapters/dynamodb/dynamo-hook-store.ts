import { GetCommand, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Hook } from '../../core/model.ts'
import type { HookStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { documentClient, tableName } from './client.ts'
import { guarded, transacted } from './errors.ts'
import { hookCountKey, hookItem, hookKey, hookPartition, subscriptionsKey, toHookItem } from './hook-item.ts'
import { parseItem, queryAll, under } from './items.ts'

/** Hooks in DynamoDB, one partition a domain. */
export function dynamoHookStore(context: AdapterContext): HookStore {
  const client = documentClient(context)
  return {
    async create(hooks, limit) {
      const [first] = hooks
      if (first === undefined) return true
      const TransactItems = creation(tableName(context, 'hooks'), hooks, limit)
      const failed = await transacted(() => client.send(new TransactWriteCommand({ TransactItems })))
      if (failed === undefined) return true
      const [, , ...written] = failed
      return written.some((hook) => hook.failed)
    },
    async read(domain, id) {
      const TableName = tableName(context, 'hooks')
      const Key = hookKey(domain, id)
      const found = await guarded(() => client.send(new GetCommand({ TableName, Key, ConsistentRead: true })))
      return parseItem(hookItem, found.Item)
    },
    async list(domain) {
      const TableName = tableName(context, 'hooks')
      const items = await queryAll(client, { TableName, ConsistentRead: true, ...under(hookPartition(domain)) })
      const hooks = items.flatMap((item) => parseItem(hookItem, item) ?? [])
      // The items come in the order of their ids, which decides between hooks of the same moment.
      return hooks.sort((a, b) => a.createdAt - b.createdAt)
    },
  }
}

/** The count of the domain, the hooks, and the version that tells the connectors to look again: all or none. */
function creation(
  TableName: string,
  hooks: readonly Hook[],
  limit: number,
): NonNullable<TransactWriteCommandInput['TransactItems']> {
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
