import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-default-route-store.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { ignoredSteps } from '../../core/default-routes/ignored-steps.ts'
import { presentRoute } from '../../core/default-routes/present-route.ts'
import { readDefaultRoute, versionOf } from '../../core/default-routes/read-default-route.ts'
import { checkCompiles } from '../../core/dialplan/check-compiles.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.readDefaultRoute,
  { defaultRoutes: dynamoDefaultRouteStore },
  async ({ domain, params, settings }, { defaultRoutes }) => {
    const route = await readDefaultRoute(defaultRoutes, domain, params.route_id)
    const { places } = ignoredSteps(route, { clientVariables: clientVariablesOf(settings), checkCompiles })
    return reply(presentRoute(route, places), { record: versionOf(route) })
  },
)
