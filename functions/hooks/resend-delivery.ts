import { dynamoDeliveryStore } from '../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import { sqsDeliveryQueue } from '../../adapters/sqs/sqs-delivery-queue.ts'
import * as routes from '../../contracts/routes/deliveries.ts'
import { presentDelivery } from '../../core/hooks/delivery/present-delivery.ts'
import { resendDelivery } from '../../core/hooks/delivery/resend-delivery.ts'
import { endpoint, okData } from '../endpoint.ts'

export const handler = endpoint(
  routes.resendDelivery,
  {
    hooks: dynamoHookStore,
    deliveries: dynamoDeliveryStore,
    deliveryQueue: sqsDeliveryQueue,
  },
  async ({ domain, params, clock }, ports) => {
    const name = { domain, hookId: params.hook_id, id: params.delivery_id }
    return okData(presentDelivery(await resendDelivery({ ...ports, clock }, name), clock.now()))
  },
)
