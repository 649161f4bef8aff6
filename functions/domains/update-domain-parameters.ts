import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoPresenceStore } from '../../adapters/dynamodb/accounts/dynamo-presence-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import * as routes from '../../contracts/routes/domains.ts'
import { endpoint } from '../endpoint.ts'
import { changeSettings } from './change-settings.ts'

export const handler = endpoint(
  routes.updateDomainParameters,
  { domains: dynamoDomainStore, presence: dynamoPresenceStore, engine: sqsCallEngine },
  changeSettings('parameters'),
)
