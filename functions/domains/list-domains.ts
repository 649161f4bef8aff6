import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoPresenceStore } from '../../adapters/dynamodb/accounts/dynamo-presence-store.ts'
import * as routes from '../../contracts/routes/domains.ts'
import { listDomains } from '../../core/domains/list-domains.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listDomains,
  { domains: dynamoDomainStore, presence: dynamoPresenceStore },
  async ({ query, domain, clock }, ports) => {
    const { headers, data, order } = await listDomains(ports, query, { domain, now: clock.now() })
    return reply({ ...okData(data), order }, { headers })
  },
)
