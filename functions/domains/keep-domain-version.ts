import { dynamoDomainVersionStore } from '../../adapters/dynamodb/domains/dynamo-domain-version-store.ts'
import * as routes from '../../contracts/routes/domain-versions.ts'
import { keepDomainVersion } from '../../core/domains/keep-domain-version.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.keepDomainVersion,
  { domainVersions: dynamoDomainVersionStore },
  async ({ domain, params, body, caller, clock }, { domainVersions }) => {
    const context = { domain, number: params.version, author: caller.username, now: clock.now() }
    return okInfo(await keepDomainVersion(domainVersions, body, context))
  },
)
