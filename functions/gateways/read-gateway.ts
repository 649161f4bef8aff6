import { dynamoConnectorStatusStore } from '../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { dynamoGatewayStateStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-state-store.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import * as routes from '../../contracts/routes/gateways.ts'
import { presentWithState } from '../../core/gateways/present-gateway.ts'
import { readGateway } from '../../core/gateways/read-gateway.ts'
import { readGatewayStates } from '../../core/gateways/read-gateway-states.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.readGateway,
  {
    gateways: dynamoGatewayStore,
    gatewayStates: dynamoGatewayStateStore,
    connectorStatus: dynamoConnectorStatusStore,
  },
  async ({ domain, params, clock }, { gateways, ...ports }) => {
    const record = await readGateway(gateways, { domain, name: params.gateway_name })
    const stateOf = await readGatewayStates(ports, domain, clock.now())
    return reply(okData(presentWithState(record, stateOf(record.name))), { record })
  },
)
