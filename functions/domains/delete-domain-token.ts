import { dynamoDomainTokenStore } from '../../adapters/dynamodb/domains/dynamo-domain-token-store.ts'
import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import * as routes from '../../contracts/routes/domain-tokens.ts'
import { deleteDomainToken } from '../../core/domains/delete-domain-token.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.deleteDomainToken,
  { domainTokens: dynamoDomainTokenStore, roles: dynamoRoleStore },
  async ({ params, ...request }, ports) => {
    await deleteDomainToken(ports, params.uuid, request)
    return okInfo(`+OK [${params.uuid}] deleted !`)
  },
)
