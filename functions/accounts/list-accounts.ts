import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoPresenceStore } from '../../adapters/dynamodb/accounts/dynamo-presence-store.ts'
import { dynamoKnownCallStore } from '../../adapters/dynamodb/calls/dynamo-known-call-store.ts'
import * as routes from '../../contracts/routes/accounts.ts'
import { listAccounts } from '../../core/accounts/list-accounts.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listAccounts,
  { accounts: dynamoAccountStore, presence: dynamoPresenceStore, knownCalls: dynamoKnownCallStore },
  async (request, ports) => {
    const { headers, data, order } = await listAccounts(ports, request.query, { ...request, now: request.clock.now() })
    return reply({ ...okData(data), order }, { headers })
  },
)
