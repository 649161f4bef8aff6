import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoGatewayStateStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-state-store.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import { rangeOf } from '../../adapters/http/networks.ts'
import * as routes from '../../contracts/routes/gateways.ts'
import { listGateways } from '../../core/gateways/list-gateways.ts'
import { gatewayJudges } from './gateway-judges.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listGateways,
  {
    gateways: dynamoGatewayStore,
    gatewayStates: dynamoGatewayStateStore,
    connectorStatus: dynamoConnectorStatusStore,
    domains: dynamoDomainStore,
  },
  async ({ caller, domain, query, clock, settings }, ports) => {
    const isRoot = caller.domain === null
    const context = { domain, isRoot, now: clock.now(), judges: gatewayJudges(settings), rangeOf }
    const { data, headers } = await listGateways(ports, context, query)
    return reply(okData(data), { headers })
  },
)
