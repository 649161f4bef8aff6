import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/dynamo-default-route-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/dynamo-domain-store.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { presentRoute } from '../../core/routes/present-route.ts'
import { readDefaultRoute } from '../../core/routes/read-default-route.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.readDefaultRoute,
  { domains: dynamoDomainStore, defaultRoutes: dynamoDefaultRouteStore },
  async ({ domain, params }, { defaultRoutes }) =>
    presentRoute(await readDefaultRoute(defaultRoutes, domain, params.route_id)),
)
