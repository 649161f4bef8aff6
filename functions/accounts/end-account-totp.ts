import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import * as routes from '../../contracts/routes/accounts.ts'
import { endAccountSecondFactor } from '../../core/auth/end-account-second-factor.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.endAccountTotp,
  { accounts: dynamoAccountStore, roles: dynamoRoleStore },
  async (request, ports) => {
    await endAccountSecondFactor(ports, request.params.account_id, request)
    return okInfo('The second factor is off.')
  },
)
