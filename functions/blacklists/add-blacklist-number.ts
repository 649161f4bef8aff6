import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import * as routes from '../../contracts/routes/blacklists.ts'
import { addBlacklistNumber } from '../../core/blacklists/add-blacklist-number.ts'
import { listedForms } from '../../core/blacklists/number-form.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.addBlacklistNumber,
  { blacklists: dynamoBlacklistStore, domains: dynamoDomainStore },
  async ({ domain, params, body, clock, random }, { blacklists, domains }) => {
    const target = { domain, list: params.blacklist_name }
    const forms = await listedForms(domains, domain, body.number)
    const isNew = await addBlacklistNumber({ blacklists, clock, random }, target, { ...body, forms })
    return { ok: 1 as const, Modified: isNew ? 1 : 0, n: 1 }
  },
)
