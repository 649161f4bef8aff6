import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { createRoute } from '../../core/default-routes/create-route.ts'
import { endpoint } from '../endpoint.ts'
import { callflowJudges } from './callflow-judges.ts'

export const handler = endpoint(
  routes.createDefaultRoute,
  { defaultRoutes: dynamoDefaultRouteStore },
  async (request, { defaultRoutes }) => {
    const { domain, body, clock, random } = request
    const judges = callflowJudges(request)
    return { _id: await createRoute({ store: defaultRoutes, clock, random, judges }, domain, body) }
  },
)
