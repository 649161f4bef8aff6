import { argonPasswordHasher } from '../../adapters/crypto/argon-password-hasher.ts'
import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import * as routes from '../../contracts/routes/accounts.ts'
import { createAccount } from '../../core/accounts/create-account.ts'
import { endpoint, okData } from '../endpoint.ts'
import { changeContext } from './change-context.ts'

export const handler = endpoint(
  routes.createAccount,
  {
    accounts: dynamoAccountStore,
    roles: dynamoRoleStore,
    passwords: argonPasswordHasher,
    events: sqsEventSink,
    engine: sqsCallEngine,
  },
  async (request, ports) => okData(await createAccount(ports, request.body, changeContext(request))),
)
