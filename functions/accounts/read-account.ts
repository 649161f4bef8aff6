import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import * as routes from '../../contracts/routes/accounts.ts'
import { readAccount } from '../../core/accounts/read-account.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(routes.readAccount, { accounts: dynamoAccountStore }, async (request, { accounts }) => {
  const context = { ...request, clientVariables: clientVariablesOf(request.settings) }
  const { detail, record } = await readAccount(accounts, request.params.account_id, context)
  return reply(okData(detail), { record })
})
