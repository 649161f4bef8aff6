import type { TokenStore } from '../../../core/auth/token-store.ts'
import type { AdapterContext } from '../../context.ts'
import { deleteItem, putItem, queryAll, tableName } from '../client.ts'
import { removeOnce, under } from '../items.ts'
import { fromTokenItem, toTokenItem, tokenKey, tokenPartition, tokenPrefix } from './token-item.ts'

/** Login results in DynamoDB, one partition a domain. */
export function dynamoTokenStore(context: AdapterContext): TokenStore {
  const table = () => tableName(context, 'tokens')
  const drop = (domain: string, login: string, key: string) =>
    deleteItem(context, { TableName: table(), Key: tokenKey(domain, login, key) })

  return {
    async create(token, limit) {
      await putItem(context, { TableName: table(), Item: toTokenItem(token) })
      const stored = await queryAll(context, {
        TableName: table(),
        ConsistentRead: true,
        ...under(tokenPartition(token.domain), tokenPrefix(token.login)),
      })
      const newestFirst = stored
        .flatMap((item) => fromTokenItem(item) ?? [])
        .filter((other) => other.expiresAt > context.clock.now())
        .sort((a, b) => b.createdAt - a.createdAt || (a.key < b.key ? -1 : 1))
      await Promise.all(newestFirst.slice(limit).map((old) => drop(old.domain, old.login, old.key)))
    },
    async remove(domain, login, key) {
      const removal = { TableName: table(), Key: tokenKey(domain, login, key) }
      return (await removeOnce(context, removal, 'attribute_exists(pk)')).done
    },
  }
}
