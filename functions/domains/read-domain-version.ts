import { dynamoDomainVersionStore } from '../../adapters/dynamodb/domains/dynamo-domain-version-store.ts'
import * as routes from '../../contracts/routes/domain-versions.ts'
import { readDomainVersion } from '../../core/domains/keep-domain-version.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.readDomainVersion,
  { domainVersions: dynamoDomainVersionStore },
  async ({ domain, params }, { domainVersions }) =>
    okInfo(await readDomainVersion(domainVersions, domain, params.version)),
)
