import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import * as routes from '../../contracts/routes/gateways.ts'
import { applyGateway } from '../../core/gateways/apply-gateway.ts'
import { replaceGateway } from '../../core/gateways/change-gateway.ts'
import { presentGateway } from '../../core/gateways/present-gateway.ts'
import { endpoint, okData, reply } from '../endpoint.ts'
import { gatewayJudges } from './gateway-judges.ts'
import { orderContext } from './order-context.ts'

export const handler = endpoint(
  routes.replaceGateway,
  { gateways: dynamoGatewayStore, secretBox: kmsSecretBox, engine: sqsCallEngine },
  async (request, ports) => {
    const { domain, params, body, precondition, settings } = request
    const change = { ...ports, judges: gatewayJudges(settings), precondition }
    const record = await replaceGateway(change, { domain, name: params.gateway_name }, body)
    await applyGateway(ports.engine, record, orderContext(request))
    return reply(okData(presentGateway(record)), { record })
  },
)
