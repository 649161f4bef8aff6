import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import * as routes from '../../contracts/routes/blacklists.ts'
import { deleteBlacklist } from '../../core/blacklists/delete-blacklist.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.deleteBlacklist,
  { blacklists: dynamoBlacklistStore },
  async ({ domain, params, clock, log }, { blacklists }) => {
    const target = { domain, list: params.blacklist_name }
    const reportUnswept = (error: unknown) => log.error('removed list not swept', error)
    return { ok: 1 as const, n: await deleteBlacklist({ blacklists, clock }, target, reportUnswept) }
  },
)
