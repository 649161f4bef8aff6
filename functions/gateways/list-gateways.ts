import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoGatewayStateStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-state-store.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import * as routes from '../../contracts/routes/gateways.ts'
import { listGateways } from '../../core/gateways/list-gateways.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listGateways,
  {
    gateways: dynamoGatewayStore,
    gatewayStates: dynamoGatewayStateStore,
    connectorStatus: dynamoConnectorStatusStore,
  },
  async ({ domain, query, clock }, ports) => {
    const { data, headers } = await listGateways(ports, domain, query, clock.now())
    return reply(okData(data), { headers })
  },
)
