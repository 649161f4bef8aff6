import { GetCommand, TransactWriteCommand, type TransactWriteCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { DomainToken } from '../../core/model.ts'
import type { DomainTokenStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { documentClient, tableName } from './client.ts'
import {
  domainTokenCountKey,
  domainTokenKey,
  domainTokenPrefix,
  fromDomainTokenItem,
  toDomainTokenItem,
} from './domain-token-item.ts'
import { conditionally, guarded, transacted } from './errors.ts'
import { queryAll, under } from './items.ts'
import { tokenPartition } from './token-item.ts'

type Part = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** Tokens of domains in DynamoDB, in the partition of all tokens of the domain. */
export function dynamoDomainTokenStore(context: AdapterContext): DomainTokenStore {
  const client = documentClient(context)
  const read = async (domain: string, uuid: string) => {
    const TableName = tableName(context, 'tokens')
    const Key = domainTokenKey(domain, uuid)
    const found = await guarded(() => client.send(new GetCommand({ TableName, Key, ConsistentRead: true })))
    return fromDomainTokenItem(found.Item)
  }
  const transact = (parts: Part[]) => transacted(() => client.send(new TransactWriteCommand({ TransactItems: parts })))

  return {
    async create(token, limit) {
      const failed = await transact(creation(tableName(context, 'tokens'), token, limit))
      if (failed === undefined) return true
      // A token of that uuid is this very one, made by an earlier run of the same request.
      return failed[1]?.failed === true
    },
    read,
    async list(domain) {
      const TableName = tableName(context, 'tokens')
      const found = under(tokenPartition(domain), domainTokenPrefix)
      const items = await queryAll(client, { TableName, ConsistentRead: true, ...found })
      return items.flatMap((item) => fromDomainTokenItem(item) ?? [])
    },
    async setEnabled(domain, uuid, enabled) {
      const TableName = tableName(context, 'tokens')
      const update = new UpdateCommand({
        TableName,
        Key: domainTokenKey(domain, uuid),
        UpdateExpression: 'SET enabled = :enabled',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':enabled': enabled },
        ReturnValues: 'ALL_NEW',
      })
      let changed: DomainToken | undefined
      await conditionally(async () => {
        changed = fromDomainTokenItem((await client.send(update)).Attributes)
      })
      return changed
    },
    async remove(domain, uuid) {
      return (await transact(removal(tableName(context, 'tokens'), domain, uuid))) === undefined
    },
  }
}

/** The token and the count of its domain: both or neither. */
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
