import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import * as routes from '../../contracts/routes/accounts.ts'
import { deleteAccount } from '../../core/accounts/delete-account.ts'
import { endpoint } from '../endpoint.ts'
import { changeContext } from './change-context.ts'

export const handler = endpoint(
  routes.deleteAccount,
  {
    accounts: dynamoAccountStore,
    roles: dynamoRoleStore,
    events: sqsEventSink,
    engine: sqsCallEngine,
  },
  async (request, ports) => {
    await deleteAccount(ports, request.params.account_id, changeContext(request))
    return { status: 'OK' as const, info: '+OK destroyed!\n' as const }
  },
)
