import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { listRoutes } from '../../core/default-routes/list-routes.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listDefaultRoutes,
  { defaultRoutes: dynamoDefaultRouteStore },
  async ({ domain, query }, { defaultRoutes }) => {
    const { data, headers } = await listRoutes(defaultRoutes, domain, query)
    return reply(data, { headers })
  },
)
