import { dynamoDomainStore } from '../../adapters/dynamodb/dynamo-domain-store.ts'
import { dynamoPresenceStore } from '../../adapters/dynamodb/dynamo-presence-store.ts'
import * as routes from '../../contracts/routes/domains.ts'
import { updateDomain } from '../../core/domains/update-domain.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.updateDomainVariables,
  { domains: dynamoDomainStore, presence: dynamoPresenceStore },
  async ({ domain, body, clock }, ports) =>
    okInfo(await updateDomain(ports, { name: domain, kind: 'variables', items: body, now: clock.now() })),
)
