import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import * as routes from '../../contracts/routes/blacklists.ts'
import { findListed } from '../../core/blacklists/find-listed.ts'
import { listedForms } from '../../core/blacklists/number-form.ts'
import { presentEntry } from '../../core/blacklists/present-entry.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.readBlacklistNumber,
  { blacklists: dynamoBlacklistStore, domains: dynamoDomainStore },
  async ({ domain, params }, { blacklists, domains }) => {
    const forms = await listedForms(domains, domain, params.blacklist_number)
    const entry = await findListed(blacklists, { domain, list: params.blacklist_name, forms })
    return entry === undefined ? [] : [presentEntry(entry)]
  },
)
