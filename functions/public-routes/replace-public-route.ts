import { dynamoPublicRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import * as routes from '../../contracts/routes/public-routes.ts'
import { presentRoute } from '../../core/default-routes/present-route.ts'
import { versionOf } from '../../core/default-routes/read-route.ts'
import { replaceRoute } from '../../core/default-routes/replace-route.ts'
import { endpoint, reply } from '../endpoint.ts'
import { callflowJudges } from '../default-routes/callflow-judges.ts'

export const handler = endpoint(
  routes.replacePublicRoute,
  { publicRoutes: dynamoPublicRouteStore },
  async (request, { publicRoutes }) => {
    const { domain, params, body, precondition } = request
    const tools = { store: publicRoutes, judges: callflowJudges(request), precondition }
    const route = await replaceRoute(tools, { domain, id: params.route_id }, body)
    return reply(presentRoute(route), { record: versionOf(route) })
  },
)
