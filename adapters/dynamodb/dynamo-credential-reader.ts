import { GetCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb'
import type { CredentialReader } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { accountItem, accountKey } from './account-item.ts'
import { documentClient, tableName } from './client.ts'
import { domainKey, fromDomainItem } from './domain-item.ts'
import { domainTokenKey, fromDomainTokenItem } from './domain-token-item.ts'
import { guarded, uncontended } from './errors.ts'
import { type Item, isExpired, parseItem } from './items.ts'
import { fromRolesItem, rolesKey } from './role-item.ts'
import { fromTokenItem, tokenKey } from './token-item.ts'

/** All that a credential is judged by in one transactional read, so that it is of the same moment. */
export function dynamoCredentialReader(context: AdapterContext): CredentialReader {
  const client = documentClient(context)
  const live = (item: Item | undefined) => (item && isExpired(item, context.clock.now()) ? undefined : item)

  const readTogether = async (gets: readonly { TableName: string; Key: { pk: string; sk: string } }[]) => {
    const TransactItems = gets.map((Get) => ({ Get }))
    const found = await uncontended(() => client.send(new TransactGetCommand({ TransactItems })))
    return (found.Responses ?? []).map(({ Item }): Item | undefined => Item)
  }

  return {
    async read({ domain, login, key }) {
      const token = { TableName: tableName(context, 'tokens'), Key: tokenKey(domain, login, key) }
      if (domain === '') {
        const found = await guarded(() => client.send(new GetCommand({ ...token, ConsistentRead: true })))
        return { token: fromTokenItem(live(found.Item)), account: undefined, domain: undefined, roles: [] }
      }
      const account = { TableName: tableName(context, 'accounts'), Key: accountKey(domain, login) }
      const [tokenFound, accountFound, ...rest] = await readTogether([token, account, ...tenantOf(context, domain)])
      return {
        token: fromTokenItem(live(tokenFound)),
        account: parseItem(accountItem, accountFound),
        ...fromTenant(domain, rest),
      }
    },
    async readDomainToken({ domain, uuid }) {
      const token = { TableName: tableName(context, 'tokens'), Key: domainTokenKey(domain, uuid) }
      const [tokenFound, ...rest] = await readTogether([token, ...tenantOf(context, domain)])
      return { token: fromDomainTokenItem(tokenFound), ...fromTenant(domain, rest) }
    },
  }
}

/** The domain and its roles. */
function tenantOf(context: AdapterContext, domain: string) {
  return [
    { TableName: tableName(context, 'domains'), Key: domainKey(domain) },
    { TableName: tableName(context, 'roles'), Key: rolesKey(domain) },
  ]
}

function fromTenant(domain: string, [tenant, roles]: readonly (Item | undefined)[]) {
  return { domain: fromDomainItem(tenant), roles: fromRolesItem(domain, roles).roles }
}
