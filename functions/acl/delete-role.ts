import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoDomainTokenStore } from '../../adapters/dynamodb/domains/dynamo-domain-token-store.ts'
import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import * as routes from '../../contracts/routes/roles.ts'
import { deleteRole } from '../../core/access/delete-role.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.deleteRole,
  {
    roles: dynamoRoleStore,
    accounts: dynamoAccountStore,
    domainTokens: dynamoDomainTokenStore,
  },
  async ({ params, ...request }, ports) => {
    await deleteRole(ports, params.name, request)
    return okInfo(`+OK [${params.name}] deleted !`)
  },
)
