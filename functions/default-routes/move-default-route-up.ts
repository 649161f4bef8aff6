import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { moveRoute } from '../../core/default-routes/move-route.ts'
import { presentRoute } from '../../core/default-routes/present-route.ts'
import { versionOf } from '../../core/default-routes/read-route.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.moveDefaultRouteUp,
  { defaultRoutes: dynamoDefaultRouteStore },
  async ({ domain, params, precondition }, { defaultRoutes }) => {
    const target = { domain, id: params.route_id }
    const route = await moveRoute(defaultRoutes, target, { direction: 'up', precondition })
    return reply(presentRoute(route), { record: versionOf(route) })
  },
)
