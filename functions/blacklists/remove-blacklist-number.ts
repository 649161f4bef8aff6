import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import * as routes from '../../contracts/routes/blacklists.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.removeBlacklistNumber,
  { blacklists: dynamoBlacklistStore },
  async ({ domain, params }, { blacklists }) => {
    const isRemoved = await blacklists.remove(domain, params.blacklist_name, params.blacklist_number)
    return { ok: 1 as const, n: isRemoved ? 1 : 0 }
  },
)
