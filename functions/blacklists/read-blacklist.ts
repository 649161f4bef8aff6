import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import * as routes from '../../contracts/routes/blacklists.ts'
import { readBlacklist } from '../../core/blacklists/read-blacklist.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.readBlacklist,
  { blacklists: dynamoBlacklistStore },
  async ({ domain, params, query }, { blacklists }) => {
    const { data, headers } = await readBlacklist(blacklists, { domain, list: params.blacklist_name }, query)
    return reply(data, { headers })
  },
)
