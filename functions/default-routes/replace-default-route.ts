import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-default-route-store.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { presentRoute } from '../../core/default-routes/present-route.ts'
import { versionOf } from '../../core/default-routes/read-default-route.ts'
import { replaceDefaultRoute } from '../../core/default-routes/replace-default-route.ts'
import { endpoint, reply } from '../endpoint.ts'
import { callflowJudges } from './callflow-judges.ts'

export const handler = endpoint(
  routes.replaceDefaultRoute,
  { defaultRoutes: dynamoDefaultRouteStore },
  async (request, { defaultRoutes }) => {
    const { domain, params, body, precondition } = request
    const tools = { defaultRoutes, judges: callflowJudges(request), precondition }
    const route = await replaceDefaultRoute(tools, { domain, id: params.route_id }, body)
    return reply(presentRoute(route), { record: versionOf(route) })
  },
)
