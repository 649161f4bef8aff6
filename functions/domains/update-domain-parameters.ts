import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoPresenceStore } from '../../adapters/dynamodb/accounts/dynamo-presence-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import * as routes from '../../contracts/routes/domains.ts'
import { updateDomain } from '../../core/domains/update-domain.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { endpoint, okInfo, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.updateDomainParameters,
  { domains: dynamoDomainStore, presence: dynamoPresenceStore, engine: sqsCallEngine },
  async ({ domain, body, precondition, requestId, clock, log, settings }, ports) => {
    const reportUnsent = (what: string, error: unknown) => log.error('change made but not published', error, { what })
    const view = { now: clock.now(), clientVariables: clientVariablesOf(settings) }
    const change = {
      name: domain,
      kind: 'parameters',
      items: body,
      precondition,
      requestId,
      reportUnsent,
      ...view,
    } as const
    const { detail, record } = await updateDomain(ports, change)
    return reply(okInfo(detail), { record })
  },
)
