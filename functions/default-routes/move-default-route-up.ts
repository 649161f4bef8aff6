import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-default-route-store.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { moveDefaultRoute } from '../../core/default-routes/move-default-route.ts'
import { presentRoute } from '../../core/default-routes/present-route.ts'
import { versionOf } from '../../core/default-routes/read-default-route.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.moveDefaultRouteUp,
  { defaultRoutes: dynamoDefaultRouteStore },
  async ({ domain, params, precondition }, { defaultRoutes }) => {
    const target = { domain, id: params.route_id }
    const route = await moveDefaultRoute(defaultRoutes, target, { direction: 'up', precondition })
    return reply(presentRoute(route), { record: versionOf(route) })
  },
)
