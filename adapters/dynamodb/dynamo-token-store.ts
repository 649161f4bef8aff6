import type { TokenStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { deleteItem, putItem, queryAll, tableName } from './client.ts'
import { under } from './items.ts'
import { fromTokenItem, toTokenItem, tokenKey, tokenPartition, tokenPrefix } from './token-item.ts'

/** Login results in DynamoDB, one partition a domain. */
export function dynamoTokenStore(context: AdapterContext): TokenStore {
  async function remove(domain: string, login: string, key: string): Promise<boolean> {
    const TableName = tableName(context, 'tokens')
    const Key = tokenKey(domain, login, key)
    return (await deleteItem(context, { TableName, Key, ReturnValues: 'ALL_OLD' })) !== undefined
  }

  return {
    async create(token, limit) {
      const TableName = tableName(context, 'tokens')
      await putItem(context, { TableName, Item: toTokenItem(token) })
      const stored = await queryAll(context, {
        TableName,
        ConsistentRead: true,
        ...under(tokenPartition(token.domain), tokenPrefix(token.login)),
      })
      const newestFirst = stored
        .flatMap((item) => fromTokenItem(item) ?? [])
        .filter((other) => other.expiresAt > context.clock.now())
        .sort((a, b) => b.createdAt - a.createdAt || (a.key < b.key ? -1 : 1))
      await Promise.all(newestFirst.slice(limit).map((old) => remove(old.domain, old.login, old.key)))
    },
    remove,
  }
}
