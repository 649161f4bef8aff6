import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import * as routes from '../../contracts/routes/engine.ts'
import { lookUpDirectory } from '../../core/directory/look-up-directory.ts'
import type { GatewayName } from '../../core/gateways/gateway.ts'
import { gatewaysPurpose, serveGateways } from '../../core/gateways/serve-gateways.ts'
import { a1Hash } from '../a1-hash.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { endpoint } from '../endpoint.ts'
import { writeDirectoryXml } from './write-directory-xml.ts'
import { writeGatewaysXml } from './write-gateways-xml.ts'

export const handler = endpoint(
  routes.lookUpDirectory,
  {
    accounts: dynamoAccountStore,
    domains: dynamoDomainStore,
    gateways: dynamoGatewayStore,
    secretBox: kmsSecretBox,
  },
  async ({ body, query, settings, log }, ports) => {
    if (body.section === 'directory' && body.purpose === gatewaysPurpose) {
      const reportSealed = ({ domain, name }: GatewayName, error: unknown) =>
        log.error('gateway not served: its password cannot be opened', error, { domain, gateway: name })
      return writeGatewaysXml(await serveGateways(ports, body.profile ?? '', reportSealed))
    }
    const context = { clientVariables: clientVariablesOf(settings), a1Hash, cache: query.cache }
    return writeDirectoryXml(await lookUpDirectory(ports, body, context))
  },
)
