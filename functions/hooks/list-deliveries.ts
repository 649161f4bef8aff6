import { dynamoDeliveryStore } from '../../adapters/dynamodb/hooks/dynamo-delivery-store.ts'
import { dynamoHookStore } from '../../adapters/dynamodb/hooks/dynamo-hook-store.ts'
import * as routes from '../../contracts/routes/deliveries.ts'
import { listDeliveries } from '../../core/hooks/delivery/list-deliveries.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listDeliveries,
  { hooks: dynamoHookStore, deliveries: dynamoDeliveryStore },
  async ({ domain, params, query, clock }, ports) => {
    const { data, headers } = await listDeliveries({ ...ports, clock }, { domain, id: params.hook_id }, query)
    return reply(okData(data), { headers })
  },
)
