import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { ignoredSteps } from '../../core/default-routes/ignored-steps.ts'
import { presentRoute } from '../../core/default-routes/present-route.ts'
import { readRoute, versionOf } from '../../core/default-routes/read-route.ts'
import { checkCompiles } from '../../core/dialplan/check-compiles.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { endpoint, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.readDefaultRoute,
  { defaultRoutes: dynamoDefaultRouteStore },
  async ({ domain, params, settings }, { defaultRoutes }) => {
    const route = await readRoute(defaultRoutes, domain, params.route_id)
    const { places } = ignoredSteps(route, { clientVariables: clientVariablesOf(settings), checkCompiles })
    return reply(presentRoute(route, places), { record: versionOf(route) })
  },
)
