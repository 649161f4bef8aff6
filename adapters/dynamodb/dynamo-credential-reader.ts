import { GetCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb'
import type { CredentialReader } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { accountItem, accountKey } from './account-item.ts'
import { documentClient, tableName } from './client.ts'
import { domainItem, domainKey } from './domain-item.ts'
import { guarded, uncontended } from './errors.ts'
import { type Item, isExpired, parseItem } from './items.ts'
import { fromTokenItem, tokenKey } from './token-item.ts'

/** Token, account and domain of a credential in one transactional read, so that they are of the same moment. */
export function dynamoCredentialReader(context: AdapterContext): CredentialReader {
  const client = documentClient(context)
  const live = (item: Item | undefined) => (item && isExpired(item, context.clock.now()) ? undefined : item)

  return {
    async read({ domain, login, key }) {
      const token = { TableName: tableName(context, 'tokens'), Key: tokenKey(domain, login, key) }
      if (domain === '') {
        const found = await guarded(() => client.send(new GetCommand({ ...token, ConsistentRead: true })))
        return { token: fromTokenItem(live(found.Item)), account: undefined, domain: undefined }
      }
      const account = { TableName: tableName(context, 'accounts'), Key: accountKey(domain, login) }
      const tenant = { TableName: tableName(context, 'domains'), Key: domainKey(domain) }
      const found = await uncontended(() =>
        client.send(new TransactGetCommand({ TransactItems: [{ Get: token }, { Get: account }, { Get: tenant }] })),
      )
      const [tokenFound, accountFound, tenantFound] = found.Responses ?? []
      return {
        token: fromTokenItem(live(tokenFound?.Item)),
        account: parseItem(accountItem, accountFound?.Item),
        domain: parseItem(domainItem, tenantFound?.Item),
      }
    },
  }
}
