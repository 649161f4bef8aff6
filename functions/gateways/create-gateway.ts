import { kmsSecretBox } from '../../adapters/aws/kms-secret-box.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import * as routes from '../../contracts/routes/gateways.ts'
import { applyGateway } from '../../core/gateways/apply-gateway.ts'
import { createGateway } from '../../core/gateways/create-gateway.ts'
import { presentGateway } from '../../core/gateways/present-gateway.ts'
import { endpoint, okData, reply } from '../endpoint.ts'
import { gatewayJudges } from './gateway-judges.ts'
import { orderContext } from './order-context.ts'

export const handler = endpoint(
  routes.createGateway,
  { gateways: dynamoGatewayStore, secretBox: kmsSecretBox, engine: sqsCallEngine },
  async (request, ports) => {
    const { domain, body, clock, settings } = request
    const creation = { ...ports, clock, judges: gatewayJudges(settings) }
    const record = await createGateway(creation, { domain, name: body.name }, body)
    await applyGateway(ports.engine, record, orderContext(request))
    return reply(okData(presentGateway(record)), { record })
  },
)
