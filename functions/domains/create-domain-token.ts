import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoDomainTokenStore } from '../../adapters/dynamodb/domains/dynamo-domain-token-store.ts'
import { dynamoRoleStore } from '../../adapters/dynamodb/access/dynamo-role-store.ts'
import * as routes from '../../contracts/routes/domain-tokens.ts'
import { createDomainToken } from '../../core/domains/create-domain-token.ts'
import { endpoint, okInfo } from '../endpoint.ts'
import { tokenDigest, writeToken } from '../endpoint/token-text.ts'

export const handler = endpoint(
  routes.createDomainToken,
  { domainTokens: dynamoDomainTokenStore, roles: dynamoRoleStore, secretBox: kmsSecretBox },
  async ({ body, caller, domain, clock, random }, ports) => {
    const context = { caller, domain, now: clock.now(), random, tokenDigest, writeToken }
    return okInfo(await createDomainToken(ports, body, context))
  },
)
