import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import * as routes from '../../contracts/routes/gateways.ts'
import { listGateways } from '../../core/gateways/list-gateways.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listGateways,
  { gateways: dynamoGatewayStore },
  async ({ domain, query }, { gateways }) => {
    const { data, headers } = await listGateways(gateways, domain, query)
    return reply(okData(data), { headers })
  },
)
