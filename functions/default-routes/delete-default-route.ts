import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { deleteRoute } from '../../core/default-routes/delete-route.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.deleteDefaultRoute,
  { defaultRoutes: dynamoDefaultRouteStore },
  async ({ domain, params, precondition }, { defaultRoutes }) => {
    await deleteRoute(defaultRoutes, { domain, id: params.route_id }, precondition)
    return { ok: 1 as const, n: 1 as const }
  },
)
