import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import * as routes from '../../contracts/routes/blacklists.ts'
import { readBlacklistNumber } from '../../core/blacklists/read-blacklist-number.ts'
import { listedForms } from '../../core/blacklists/number-form.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.readBlacklistNumber,
  { blacklists: dynamoBlacklistStore, domains: dynamoDomainStore },
  async ({ domain, params }, { blacklists, domains }) => {
    const forms = await listedForms(domains, domain, params.blacklist_number)
    return readBlacklistNumber(blacklists, { domain, list: params.blacklist_name, forms })
  },
)
