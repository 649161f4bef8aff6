import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/dynamo-default-route-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/dynamo-domain-store.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { moveDefaultRoute } from '../../core/routes/move-default-route.ts'
import { presentRoute } from '../../core/routes/present-route.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.moveDefaultRouteDown,
  { domains: dynamoDomainStore, defaultRoutes: dynamoDefaultRouteStore },
  async ({ domain, params }, { defaultRoutes }) =>
    presentRoute(await moveDefaultRoute(defaultRoutes, { domain, id: params.route_id }, 'down')),
)
