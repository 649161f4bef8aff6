import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-default-route-store.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { createDefaultRoute } from '../../core/default-routes/create-default-route.ts'
import { endpoint } from '../endpoint.ts'
import { callflowJudges } from './callflow-judges.ts'

export const handler = endpoint(
  routes.createDefaultRoute,
  { defaultRoutes: dynamoDefaultRouteStore },
  async (request, { defaultRoutes }) => {
    const { domain, body, clock, random } = request
    const judges = callflowJudges(request)
    return { _id: await createDefaultRoute({ defaultRoutes, clock, random, judges }, domain, body) }
  },
)
