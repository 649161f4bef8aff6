import type { DomainToken } from '../../../core/access/token.ts'
import type { DomainTokenStore } from '../../../core/domains/domain-token-store.ts'
import type { AdapterContext } from '../../context.ts'
import { type Part, type Update, getItem, queryAll, tableName, transactWrite, updateItem } from '../client.ts'
import {
  domainTokenCountKey,
  domainTokenKey,
  domainTokenPrefix,
  fromDomainTokenItem,
  toDomainTokenItem,
} from './domain-token-item.ts'
import { conditionally, transacted } from '../errors.ts'
import { under } from '../items.ts'
import { tokenPartition } from '../access/token-item.ts'

/** Tokens of domains in DynamoDB, in the partition of all tokens of the domain. */
export function dynamoDomainTokenStore(context: AdapterContext): DomainTokenStore {
  const transact = (parts: readonly Part[]) => transacted(() => transactWrite(context, parts))

  return {
    async create(token, limit) {
      const failed = await transact(creation(tableName(context, 'tokens'), token, limit))
      if (failed === undefined) return true
      // A token of that uuid is this very one, made by an earlier run of the same request.
      return failed[1]?.failed === true
    },
    async read(domain, uuid) {
      return fromDomainTokenItem(await getItem(context, tableName(context, 'tokens'), domainTokenKey(domain, uuid)))
    },
    async list(domain) {
      const TableName = tableName(context, 'tokens')
      const found = under(tokenPartition(domain), domainTokenPrefix)
      const items = await queryAll(context, { TableName, ConsistentRead: true, ...found })
      return items.flatMap((item) => fromDomainTokenItem(item) ?? [])
    },
    async setEnabled(domain, uuid, enabled) {
      const update: Update = {
        TableName: tableName(context, 'tokens'),
        Key: domainTokenKey(domain, uuid),
        UpdateExpression: 'SET enabled = :enabled',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':enabled': enabled },
        ReturnValues: 'ALL_NEW',
      }
      let changed: DomainToken | undefined
      await conditionally(async () => {
        changed = fromDomainTokenItem(await updateItem(context, update))
      })
      return changed
    },
    async remove(domain, uuid) {
      return (await transact(removal(tableName(context, 'tokens'), domain, uuid))) === undefined
    },
  }
}

function creation(TableName: string, token: DomainToken, limit: number): Part[] {
  return [
    {
      Update: {
        TableName,
        Key: domainTokenCountKey(token.domain),
        UpdateExpression: 'ADD tokens :one',
        ConditionExpression: 'attribute_not_exists(pk) OR tokens < :limit',
        ExpressionAttributeValues: { ':one': 1, ':limit': limit },
      },
    },
    { Put: { TableName, Item: toDomainTokenItem(token), ConditionExpression: 'attribute_not_exists(pk)' } },
  ]
}

function removal(TableName: string, domain: string, uuid: string): Part[] {
  return [
    {
      Delete: { TableName, Key: domainTokenKey(domain, uuid), ConditionExpression: 'attribute_exists(pk)' },
    },
    {
      Update: {
        TableName,
        Key: domainTokenCountKey(domain),
        UpdateExpression: 'ADD tokens :less',
        ExpressionAttributeValues: { ':less': -1 },
      },
    },
  ]
}
