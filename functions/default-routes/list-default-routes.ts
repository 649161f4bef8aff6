import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-default-route-store.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { listDefaultRoutes } from '../../core/default-routes/list-default-routes.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listDefaultRoutes,
  { defaultRoutes: dynamoDefaultRouteStore },
  async ({ domain, query }, { defaultRoutes }) => {
    const { data, headers } = await listDefaultRoutes(defaultRoutes, domain, query)
    return reply(data, { headers })
  },
)
