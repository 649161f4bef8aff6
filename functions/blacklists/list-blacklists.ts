import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import * as routes from '../../contracts/routes/blacklists.ts'
import { listBlacklists } from '../../core/blacklists/list-blacklists.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listBlacklists,
  { blacklists: dynamoBlacklistStore },
  async ({ domain, query }, { blacklists }) => {
    const { data, headers } = await listBlacklists(blacklists, domain, query)
    return reply(data, { headers })
  },
)
