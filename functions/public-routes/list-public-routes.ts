import { dynamoPublicRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import * as routes from '../../contracts/routes/public-routes.ts'
import { listRoutes } from '../../core/default-routes/list-routes.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listPublicRoutes,
  { publicRoutes: dynamoPublicRouteStore },
  async ({ domain, query }, { publicRoutes }) => {
    const { data, headers } = await listRoutes(publicRoutes, domain, query)
    return reply(data, { headers })
  },
)
