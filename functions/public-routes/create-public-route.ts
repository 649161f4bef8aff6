import { dynamoPublicRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import * as routes from '../../contracts/routes/public-routes.ts'
import { createRoute } from '../../core/default-routes/create-route.ts'
import { endpoint } from '../endpoint.ts'
import { callflowJudges } from '../default-routes/callflow-judges.ts'

export const handler = endpoint(
  routes.createPublicRoute,
  { publicRoutes: dynamoPublicRouteStore },
  async (request, { publicRoutes }) => {
    const { domain, body, clock, random } = request
    const judges = callflowJudges(request)
    return { _id: await createRoute({ store: publicRoutes, clock, random, judges }, domain, body) }
  },
)
