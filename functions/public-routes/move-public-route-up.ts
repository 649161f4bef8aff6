import { dynamoPublicRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import * as routes from '../../contracts/routes/public-routes.ts'
import { moveRoute } from '../../core/default-routes/move-route.ts'
import { presentRoute } from '../../core/default-routes/present-route.ts'
import { versionOf } from '../../core/default-routes/read-route.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.movePublicRouteUp,
  { publicRoutes: dynamoPublicRouteStore },
  async ({ domain, params, precondition }, { publicRoutes }) => {
    const target = { domain, id: params.route_id }
    const route = await moveRoute(publicRoutes, target, { direction: 'up', precondition })
    return reply(presentRoute(route), { record: versionOf(route) })
  },
)
