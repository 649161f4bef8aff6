import { dynamoAccountStore } from '../../adapters/dynamodb/dynamo-account-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/dynamo-domain-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import * as routes from '../../contracts/routes/channels.ts'
import { originateCall } from '../../core/channels/originate-call.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.originateCall,
  { domains: dynamoDomainStore, accounts: dynamoAccountStore, engine: sqsCallEngine },
  async (request, ports) => originateCall(ports, request, request.body, request.random.uuid()),
)
