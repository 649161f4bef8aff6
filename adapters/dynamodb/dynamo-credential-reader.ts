import type { CredentialReader } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { accountItem, accountKey } from './account-item.ts'
import { getItem, tableName, transactGet } from './client.ts'
import { domainItem, domainKey } from './domain-item.ts'
import { uncontended } from './errors.ts'
import { parseItem, unexpired } from './items.ts'
import { fromTokenItem, tokenKey } from './token-item.ts'

/** Token, account and domain of a credential in one transactional read, so that they are of the same moment. */
export function dynamoCredentialReader(context: AdapterContext): CredentialReader {
  return {
    async read({ domain, login, key }) {
      const tokens = tableName(context, 'tokens')
      if (domain === '') {
        const found = await getItem(context, tokens, tokenKey(domain, login, key))
        return { token: fromTokenItem(unexpired(context, found)), account: undefined, domain: undefined }
      }
      const [token, account, tenant] = await uncontended(() =>
        transactGet(context, [
          { TableName: tokens, Key: tokenKey(domain, login, key) },
          { TableName: tableName(context, 'accounts'), Key: accountKey(domain, login) },
          { TableName: tableName(context, 'domains'), Key: domainKey(domain) },
        ]),
      )
      return {
        token: fromTokenItem(unexpired(context, token)),
        account: parseItem(accountItem, account),
        domain: parseItem(domainItem, tenant),
      }
    },
  }
}
