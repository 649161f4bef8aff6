import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/dynamo-default-route-store.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { moveDefaultRoute } from '../../core/routes/move-default-route.ts'
import { presentRoute } from '../../core/routes/present-route.ts'
import { versionOf } from '../../core/routes/read-default-route.ts'
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
