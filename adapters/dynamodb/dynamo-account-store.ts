import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import type { Account } from '../../core/model.ts'
import type { AccountStore } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { accountItem, accountKey, accountPartition, accountPrefix, numberItem, numberKey } from './account-item.ts'
import { createAccount, removeAccount, updateAccount, useCode } from './account-writes.ts'
import { documentClient, tableName } from './client.ts'
import { guarded } from './errors.ts'
import { parseItem, queryAll, under } from './items.ts'

/** Accounts and their number reservations in DynamoDB. Reads are consistent, writes are transactions. */
export function dynamoAccountStore(context: AdapterContext): AccountStore {
  const client = documentClient(context)
  return {
    create: (account, limit) => createAccount(client, context, account, limit),
    update: (account, previous) => updateAccount(client, context, account, previous),
    remove: (account, exactly) => removeAccount(client, context, account, exactly),
    useCode: (account, step) => useCode(client, context, account, step),
    read: (domain, login) => readAccount(client, context, domain, login),
    async readByNumber(domain, number) {
      const reserved = parseItem(numberItem, await get(client, context, numberKey(domain, number)))
      const account = reserved && (await readAccount(client, context, domain, reserved.owner))
      // Between the two reads the number may have moved on.
      return account?.numbers.includes(number) ? account : undefined
    },
    async list(domain) {
      const items = await queryAll(client, {
        TableName: tableName(context, 'accounts'),
        ConsistentRead: true,
        ...under(accountPartition(domain), accountPrefix),
      })
      return items.flatMap((item) => parseItem(accountItem, item) ?? [])
    },
  }
}

async function readAccount(
  client: DynamoDBDocumentClient,
  context: AdapterContext,
  domain: string,
  login: string,
): Promise<Account | undefined> {
  return parseItem(accountItem, await get(client, context, accountKey(domain, login)))
}

async function get(client: DynamoDBDocumentClient, context: AdapterContext, key: { pk: string; sk: string }) {
  const TableName = tableName(context, 'accounts')
  const found = await guarded(() => client.send(new GetCommand({ TableName, Key: key, ConsistentRead: true })))
  return found.Item
}
