import { dynamoDomainTokenStore } from '../../adapters/dynamodb/domains/dynamo-domain-token-store.ts'
import * as routes from '../../contracts/routes/domain-tokens.ts'
import { listDomainTokens } from '../../core/domains/list-domain-tokens.ts'
import { endpoint, okInfo, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listDomainTokens,
  { domainTokens: dynamoDomainTokenStore },
  async ({ domain, query }, { domainTokens }) => {
    const { tokens, headers } = await listDomainTokens(domainTokens, domain, query)
    return reply(okInfo(tokens), { headers })
  },
)
