import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoPresenceStore } from '../../adapters/dynamodb/accounts/dynamo-presence-store.ts'
import * as routes from '../../contracts/routes/domains.ts'
import { readDomain } from '../../core/domains/read-domain.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { endpoint, okInfo, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.readDomain,
  { domains: dynamoDomainStore, presence: dynamoPresenceStore },
  async ({ domain, clock, settings }, ports) => {
    const { detail, record } = await readDomain(ports, domain, {
      now: clock.now(),
      clientVariables: clientVariablesOf(settings),
    })
    return reply(okInfo(detail), { record })
  },
)
