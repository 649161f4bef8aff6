import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import * as routes from '../../contracts/routes/blacklists.ts'
import { readBlacklistNumber } from '../../core/blacklists/read-blacklist-number.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.readBlacklistNumber,
  { blacklists: dynamoBlacklistStore },
  async ({ domain, params }, { blacklists }) =>
    readBlacklistNumber(blacklists, { domain, list: params.blacklist_name, number: params.blacklist_number }),
)
