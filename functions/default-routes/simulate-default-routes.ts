import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import {
  dynamoDefaultRouteStore,
  dynamoPublicRouteStore,
} from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import * as routes from '../../contracts/routes/default-routes.ts'
import { proposedRoutes } from '../../core/default-routes/proposed-routes.ts'
import { presentSimulation, simulatedQuestion } from '../../core/dialplan/simulated-question.ts'
import { simulateCall } from '../../core/dialplan/simulate-call.ts'
import { routeSettings } from '../dialplan-settings.ts'
import { endpoint, okData } from '../endpoint.ts'
import { callflowJudges } from './callflow-judges.ts'

export const handler = endpoint(
  routes.simulateDefaultRoutes,
  {
    accounts: dynamoAccountStore,
    blacklists: dynamoBlacklistStore,
    defaultRoutes: dynamoDefaultRouteStore,
    publicRoutes: dynamoPublicRouteStore,
    gateways: dynamoGatewayStore,
    domains: dynamoDomainStore,
  },
  async (request, stored) => {
    const { domain, body, settings, clock } = request
    const replaced = body.direction === 'inbound' ? 'publicRoutes' : 'defaultRoutes'
    const ports =
      body.routes === undefined
        ? stored
        : { ...stored, [replaced]: proposedRoutes(body.routes, callflowJudges(request), replaced) }
    const { call, now } = await simulatedQuestion(ports, domain, body, clock.now())
    const rules = routeSettings(settings, now)
    return okData(presentSimulation(await simulateCall(ports, call, rules, body.digits)))
  },
)
