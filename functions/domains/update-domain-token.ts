import { dynamoDomainTokenStore } from '../../adapters/dynamodb/domains/dynamo-domain-token-store.ts'
import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import * as routes from '../../contracts/routes/domain-tokens.ts'
import { updateDomainToken } from '../../core/domains/update-domain-token.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.updateDomainToken,
  { domainTokens: dynamoDomainTokenStore, roles: dynamoRoleStore },
  async ({ params, body, ...request }, ports) =>
    okInfo(await updateDomainToken(ports, params.uuid, body.state, request)),
)
