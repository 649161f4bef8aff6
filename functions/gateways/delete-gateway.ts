import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import * as routes from '../../contracts/routes/gateways.ts'
import { applyGateway } from '../../core/gateways/apply-gateway.ts'
import { deleteGateway } from '../../core/gateways/delete-gateway.ts'
import { endpoint, okInfo } from '../endpoint.ts'
import { orderContext } from './order-context.ts'

export const handler = endpoint(
  routes.deleteGateway,
  { gateways: dynamoGatewayStore, engine: sqsCallEngine },
  async (request, { gateways, engine }) => {
    const name = { domain: request.domain, name: request.params.gateway_name }
    await deleteGateway(gateways, name, request.precondition)
    await applyGateway(engine, name, orderContext(request))
    return okInfo('Removed 1 gateway.')
  },
)
