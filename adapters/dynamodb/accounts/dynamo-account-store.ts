import type { AccountStore } from '../../../core/accounts/account-store.ts'
import type { Account } from '../../../core/accounts/account.ts'
import type { AdapterContext } from '../../context.ts'
import { accountItem, accountKey, accountPartition, accountPrefix, numberItem, numberKey } from './account-item.ts'
import { createAccount, removeAccount, updateAccount, useCode } from './account-writes.ts'
import { getItem, queryAll, tableName } from '../client.ts'
import { parseItem, under } from '../items.ts'

/** Accounts and their number reservations in DynamoDB. Reads are consistent, writes are transactions. */
export function dynamoAccountStore(context: AdapterContext): AccountStore {
  async function read(domain: string, login: string): Promise<Account | undefined> {
    return parseItem(accountItem, await getItem(context, tableName(context, 'accounts'), accountKey(domain, login)))
  }

  return {
    create: (account, limit) => createAccount(context, account, limit),
    update: (account, previous) => updateAccount(context, account, previous),
    remove: (account, exactly) => removeAccount(context, account, exactly),
    useCode: (account, step) => useCode(context, account, step),
    read,
    async readByNumber(domain, number) {
      const TableName = tableName(context, 'accounts')
      const reserved = parseItem(numberItem, await getItem(context, TableName, numberKey(domain, number)))
      const account = reserved && (await read(domain, reserved.owner))
      // Between the two reads the number may have moved on.
      return account?.numbers.includes(number) ? account : undefined
    },
    async list(domain) {
      const items = await queryAll(context, {
        TableName: tableName(context, 'accounts'),
        ConsistentRead: true,
        ...under(accountPartition(domain), accountPrefix),
      })
      return items.flatMap((item) => parseItem(accountItem, item) ?? [])
    },
  }
}
