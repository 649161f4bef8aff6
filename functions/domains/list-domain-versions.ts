import { dynamoDomainVersionStore } from '../../adapters/dynamodb/domains/dynamo-domain-version-store.ts'
import * as routes from '../../contracts/routes/domain-versions.ts'
import { listDomainVersions } from '../../core/domains/list-domain-versions.ts'
import { endpoint, okInfo, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listDomainVersions,
  { domainVersions: dynamoDomainVersionStore },
  async ({ domain, query }, { domainVersions }) => {
    const { versions, headers } = await listDomainVersions(domainVersions, domain, query)
    return reply(okInfo(versions), { headers })
  },
)
