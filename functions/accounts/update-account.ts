import { argonPasswordHasher } from '../../adapters/crypto/argon-password-hasher.ts'
import { dynamoAccountStore } from '../../adapters/dynamodb/dynamo-account-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/dynamo-domain-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import * as routes from '../../contracts/routes/accounts.ts'
import { updateAccount } from '../../core/accounts/update-account.ts'
import { endpoint, okInfo } from '../endpoint.ts'
import { changeContext } from './change-context.ts'

export const handler = endpoint(
  routes.updateAccount,
  {
    domains: dynamoDomainStore,
    accounts: dynamoAccountStore,
    passwords: argonPasswordHasher,
    engine: sqsCallEngine,
  },
  async (request, ports) =>
    okInfo(await updateAccount(ports, request.params.account_id, request.body, changeContext(request))),
)
