import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import * as routes from '../../contracts/routes/gateways.ts'
import { presentGateway } from '../../core/gateways/present-gateway.ts'
import { readGateway } from '../../core/gateways/read-gateway.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.readGateway,
  { gateways: dynamoGatewayStore },
  async ({ domain, params }, { gateways }) => {
    const record = await readGateway(gateways, { domain, name: params.gateway_name })
    return reply(okData(presentGateway(record)), { record })
  },
)
