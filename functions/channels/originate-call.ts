import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoKnownCallStore } from '../../adapters/dynamodb/calls/dynamo-known-call-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import * as routes from '../../contracts/routes/channels.ts'
import { originateCall } from '../../core/channels/originate-call.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.originateCall,
  {
    accounts: dynamoAccountStore,
    engine: sqsCallEngine,
    knownCalls: dynamoKnownCallStore,
  },
  async (request, ports) => {
    const { clock, random, settings } = request
    const chosen = { uuid: random.uuid(), commandId: random.uuid(), clock }
    const clientVariables = clientVariablesOf(settings)
    return originateCall(ports, request, request.body, { ...chosen, clientVariables })
  },
)
