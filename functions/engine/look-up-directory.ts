import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import { addressGuard } from '../../adapters/http/address-guard.ts'
import { inHosts } from '../../adapters/http/contact-hosts.ts'
import { proxyJudge } from '../../adapters/http/sip-targets.ts'
import { gatewayCodecs } from '../../contracts/gateway-words.ts'
import * as routes from '../../contracts/routes/engine.ts'
import { lookUpDirectory } from '../../core/directory/look-up-directory.ts'
import { type ReportUnserved, gatewaysPurpose, serveGateways } from '../../core/gateways/serve-gateways.ts'
import { a1Hash } from '../a1-hash.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { endpoint } from '../endpoint.ts'
import { writeDirectoryXml } from './write-directory-xml.ts'
import { writeGatewaysXml } from './write-gateways-xml.ts'

const judgeProxy = proxyJudge()

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
      const report: ReportUnserved = ({ domain, name }, why, error) => {
        if (why === 'password')
          log.error('gateway not served: its password cannot be opened', error, { domain, gateway: name })
        else
          log.warn('gateway not served: its proxy leads to an address that is not permitted', { domain, gateway: name })
      }
      const guard = addressGuard(settings.hookAllowedNetworks)
      const serving = { ...ports, isPermitted: (proxy: string) => judgeProxy(proxy, guard) }
      return writeGatewaysXml(await serveGateways(serving, body.profile ?? '', { report, codecs: gatewayCodecs }))
    }
    const { contactHosts } = settings
    const isContactHost = contactHosts.length === 0 ? undefined : (host: string) => inHosts(contactHosts, host)
    const context = { clientVariables: clientVariablesOf(settings), a1Hash, cache: query.cache, isContactHost }
    return writeDirectoryXml(await lookUpDirectory(ports, body, context))
  },
)
