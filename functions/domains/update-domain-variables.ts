import { dynamoDomainStore } from '../../adapters/dynamodb/dynamo-domain-store.ts'
import { dynamoPresenceStore } from '../../adapters/dynamodb/dynamo-presence-store.ts'
import * as routes from '../../contracts/routes/domains.ts'
import { updateDomain } from '../../core/domains/update-domain.ts'
import { endpoint, okInfo, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.updateDomainVariables,
  { domains: dynamoDomainStore, presence: dynamoPresenceStore },
  async ({ domain, body, precondition, clock }, ports) => {
    const change = { name: domain, kind: 'variables', items: body, precondition, now: clock.now() } as const
    const { detail, record } = await updateDomain(ports, change)
    return reply(okInfo(detail), { record })
  },
)
