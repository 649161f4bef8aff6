import type { HookStore } from '../../../core/hooks/definition/hook-store.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import type { AdapterContext } from '../../context.ts'
import { keptUntil } from '../../retention.ts'
import { type Part, getItem, queryAll, tableName, transactWrite } from '../client.ts'
import { numberOf, transacted } from '../errors.ts'
import {
  hookCountKey,
  hookItem,
  hookKey,
  hookPartition,
  removedHookKey,
  subscriptionsKey,
  toHookItem,
} from './hook-item.ts'
import { hookHealth } from './hook-health.ts'
import { expirySeconds, parseItem, under } from '../items.ts'

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
    async count(domain) {
      return numberOf(await getItem(context, tableName(context, 'hooks'), hookCountKey(domain)), 'hooks') ?? 0
    },
    async replace(hook) {
      return isDone(context, replacement(tableName(context, 'hooks'), hook))
    },
    async remove(hook) {
      return isDone(context, removal(context, hook))
    },
    ...hookHealth(context),
  }
}

/**
 * Writes the count of the domain, the hooks, and the version that makes the connectors read them again, in one
 * transaction.
 */
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
    subscriptionsStep(TableName),
    ...hooks.map((hook) => ({
      Put: { TableName, Item: toHookItem(hook), ConditionExpression: 'attribute_not_exists(pk)' },
    })),
  ]
}

function replacement(TableName: string, hook: Hook): Part[] {
  return [
    {
      Put: {
        TableName,
        Item: toHookItem(hook),
        ConditionExpression: 'version = :previous',
        ExpressionAttributeValues: { ':previous': hook.version - 1 },
      },
    },
    subscriptionsStep(TableName),
  ]
}

/** Removes the hook and reduces the count. A mark of the hook stays, since its deliveries stay for their time. */
function removal(context: AdapterContext, { domain, id, version }: Hook): Part[] {
  const TableName = tableName(context, 'hooks')
  const expiresAt = expirySeconds(keptUntil.removedHook(context.clock.now()))
  return [
    {
      Delete: {
        TableName,
        Key: hookKey(domain, id),
        ConditionExpression: 'version = :version',
        ExpressionAttributeValues: { ':version': version },
      },
    },
    {
      Update: {
        TableName,
        Key: hookCountKey(domain),
        UpdateExpression: 'ADD hooks :removed',
        ExpressionAttributeValues: { ':removed': -1 },
      },
    },
    subscriptionsStep(TableName),
    { Put: { TableName: tableName(context, 'deliveries'), Item: { ...removedHookKey(domain, id), expiresAt } } },
  ]
}

function subscriptionsStep(TableName: string): Part {
  return {
    Update: {
      TableName,
      Key: subscriptionsKey,
      UpdateExpression: 'ADD version :one',
      ExpressionAttributeValues: { ':one': 1 },
    },
  }
}

async function isDone(context: AdapterContext, parts: readonly Part[]): Promise<boolean> {
  return (await transacted(() => transactWrite(context, parts))) === undefined
}
