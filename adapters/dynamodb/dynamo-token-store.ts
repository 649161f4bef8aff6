import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { TokenStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { documentClient, tableName } from './client.ts'
import { guarded } from './errors.ts'
import { queryAll, under } from './items.ts'
import { fromTokenItem, toTokenItem, tokenKey, tokenPartition, tokenPrefix } from './token-item.ts'

/** Login results in DynamoDB, one partition a domain. */
export function dynamoTokenStore(context: AdapterContext): TokenStore {
  const client = documentClient(context)

  async function remove(domain: string, login: string, key: string): Promise<boolean> {
    const TableName = tableName(context, 'tokens')
    const removed = await guarded(() =>
      client.send(new DeleteCommand({ TableName, Key: tokenKey(domain, login, key), ReturnValues: 'ALL_OLD' })),
    )
    return removed.Attributes !== undefined
  }

  return {
    async create(token, limit) {
      const TableName = tableName(context, 'tokens')
      await guarded(() => client.send(new PutCommand({ TableName, Item: toTokenItem(token) })))
      const stored = await queryAll(client, {
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
