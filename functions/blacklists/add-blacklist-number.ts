import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import * as routes from '../../contracts/routes/blacklists.ts'
import { addBlacklistNumber } from '../../core/blacklists/add-blacklist-number.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.addBlacklistNumber,
  { blacklists: dynamoBlacklistStore },
  async ({ domain, params, body, clock, random }, { blacklists }) => {
    const target = { domain, list: params.blacklist_name }
    const isNew = await addBlacklistNumber({ blacklists, clock, random }, target, body)
    return { ok: 1 as const, Modified: isNew ? 1 : 0, n: 1 }
  },
)
