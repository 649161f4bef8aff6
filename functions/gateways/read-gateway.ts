import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoGatewayStateStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-state-store.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import * as routes from '../../contracts/routes/gateways.ts'
import { presentWithState } from '../../core/gateways/present-gateway.ts'
import { readGateway } from '../../core/gateways/read-gateway.ts'
import { gatewayViews } from '../../core/gateways/gateway-views.ts'
import { gatewayJudges } from './gateway-judges.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.readGateway,
  {
    gateways: dynamoGatewayStore,
    gatewayStates: dynamoGatewayStateStore,
    connectorStatus: dynamoConnectorStatusStore,
    domains: dynamoDomainStore,
  },
  async ({ domain, params, clock, settings }, { gateways, ...ports }) => {
    const record = await readGateway(gateways, { domain, name: params.gateway_name })
    const viewOf = await gatewayViews(ports, domain, { now: clock.now(), judges: gatewayJudges(settings) })
    return reply(okData(presentWithState(record, viewOf(record))), { record })
  },
)
