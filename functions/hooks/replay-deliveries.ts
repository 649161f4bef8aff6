import { dynamoDeliveryStore } from '../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import { dynamoRateLimitStore } from '../../adapters/dynamodb/access/dynamo-rate-limit-store.ts'
import { sqsDeliveryQueue } from '../../adapters/sqs/sqs-delivery-queue.ts'
import * as routes from '../../contracts/routes/deliveries.ts'
import { replayDeliveries } from '../../core/hooks/delivery/replay-deliveries.ts'
import { endpoint, okData } from '../endpoint.ts'

export const handler = endpoint(
  routes.replayDeliveries,
  {
    hooks: dynamoHookStore,
    deliveries: dynamoDeliveryStore,
    deliveryQueue: sqsDeliveryQueue,
    rateLimits: dynamoRateLimitStore,
  },
  async ({ domain, params, body, clock }, ports) =>
    okData(await replayDeliveries({ ...ports, clock }, { domain, id: params.hook_id }, body)),
)
