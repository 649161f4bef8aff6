import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import * as routes from '../../contracts/routes/blacklists.ts'
import { listedForms } from '../../core/blacklists/number-form.ts'
import { removeBlacklistNumber } from '../../core/blacklists/remove-blacklist-number.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.removeBlacklistNumber,
  { blacklists: dynamoBlacklistStore, domains: dynamoDomainStore },
  async ({ domain, params }, { blacklists, domains }) => {
    const forms = await listedForms(domains, domain, params.blacklist_number)
    const n = await removeBlacklistNumber(blacklists, { domain, list: params.blacklist_name, forms })
    return { ok: 1 as const, n }
  },
)
