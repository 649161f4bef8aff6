import { dynamoPublicRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import * as routes from '../../contracts/routes/public-routes.ts'
import { deleteRoute } from '../../core/default-routes/delete-route.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.deletePublicRoute,
  { publicRoutes: dynamoPublicRouteStore },
  async ({ domain, params, precondition }, { publicRoutes }) => {
    await deleteRoute(publicRoutes, { domain, id: params.route_id }, precondition)
    return { ok: 1 as const, n: 1 as const }
  },
)
