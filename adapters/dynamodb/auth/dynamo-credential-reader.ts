import type { CredentialReader } from '../../../core/auth/credentials.ts'
import type { AdapterContext } from '../../context.ts'
import { accountItem, accountKey } from '../accounts/account-item.ts'
import type { Item } from '../client.ts'
import { getItem, tableName, transactGet } from '../client.ts'
import { domainKey, fromDomainItem } from '../domains/domain-item.ts'
import { domainTokenKey, fromDomainTokenItem } from '../domains/domain-token-item.ts'
import { retryOnTransactionConflict } from '../errors.ts'
import { parseItem, unexpired } from '../items.ts'
import { fromRolesItem, rolesKey } from '../access/role-item.ts'
import { fromTokenItem, tokenKey } from '../access/token-item.ts'

/** All that a credential is judged by in one transactional read, so that it is of the same moment. */
export function dynamoCredentialReader(context: AdapterContext): CredentialReader {
  return {
    async read({ domain, login, key }) {
      const token = { TableName: tableName(context, 'tokens'), Key: tokenKey(domain, login, key) }
      if (domain === '') {
        const found = await getItem(context, token.TableName, token.Key)
        return { token: fromTokenItem(unexpired(context, found)), account: undefined, domain: undefined, roles: [] }
      }
      const account = { TableName: tableName(context, 'accounts'), Key: accountKey(domain, login) }
      const [tokenFound, accountFound, ...rest] = await retryOnTransactionConflict(() =>
        transactGet(context, [token, account, ...tenantOf(context, domain)]),
      )
      return {
        token: fromTokenItem(unexpired(context, tokenFound)),
        account: parseItem(accountItem, accountFound),
        ...fromTenant(domain, rest),
      }
    },
    async readDomainToken({ domain, uuid }) {
      const token = { TableName: tableName(context, 'tokens'), Key: domainTokenKey(domain, uuid) }
      const [tokenFound, ...rest] = await retryOnTransactionConflict(() =>
        transactGet(context, [token, ...tenantOf(context, domain)]),
      )
      return { token: fromDomainTokenItem(tokenFound), ...fromTenant(domain, rest) }
    },
  }
}

function tenantOf(context: AdapterContext, domain: string) {
  return [
    { TableName: tableName(context, 'domains'), Key: domainKey(domain) },
    { TableName: tableName(context, 'roles'), Key: rolesKey(domain) },
  ]
}

function fromTenant(domain: string, [tenant, roles]: readonly (Item | undefined)[]) {
  return { domain: fromDomainItem(tenant), roles: fromRolesItem(domain, roles).roles }
}
