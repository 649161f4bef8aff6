import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import * as routes from '../../contracts/routes/blacklists.ts'
import { listedForms } from '../../core/blacklists/number-form.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.removeBlacklistNumber,
  { blacklists: dynamoBlacklistStore, domains: dynamoDomainStore },
  async ({ domain, params }, { blacklists, domains }) => {
    const forms = await listedForms(domains, domain, params.blacklist_number)
    const removed = await Promise.all(forms.map((form) => blacklists.remove(domain, params.blacklist_name, form)))
    return { ok: 1 as const, n: removed.filter(Boolean).length }
  },
)
