import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import * as routes from '../../contracts/routes/domains.ts'
import { createDomain } from '../../core/domains/create-domain.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.createDomain,
  { domains: dynamoDomainStore, events: sqsEventSink, engine: sqsCallEngine },
  async ({ caller, body, requestId, clock, random, log, settings }, ports) => {
    const reportUnsent = (what: string, error: unknown) => log.error('change made but not published', error, { what })
    const clientVariables = clientVariablesOf(settings)
    const isRoot = caller.domain === null
    const context = { isRoot, requestId, clock, random, clientVariables, reportUnsent }
    const { name, warning } = await createDomain(ports, body, context)
    return { status: 'OK' as const, info: `+OK [${name}] created !\n`, 'more info': warning }
  },
)
