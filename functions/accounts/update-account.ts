import { argonPasswordHasher } from '../../adapters/crypto/argon-password-hasher.ts'
import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import * as routes from '../../contracts/routes/accounts.ts'
import { updateAccount } from '../../core/accounts/update-account.ts'
import { endpoint, okInfo, reply } from '../endpoint.ts'
import { changeContext } from './change-context.ts'

export const handler = endpoint(
  routes.updateAccount,
  {
    accounts: dynamoAccountStore,
    roles: dynamoRoleStore,
    passwords: argonPasswordHasher,
    engine: sqsCallEngine,
  },
  async (request, ports) => {
    const context = changeContext(request)
    const { detail, record } = await updateAccount(ports, request.params.account_id, request.body, context)
    return reply(okInfo(detail), { record })
  },
)
