import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import { dynamoDefaultRouteStore } from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import * as routes from '../../contracts/routes/engine.ts'
import { readDialplanQuestion } from '../../core/dialplan/dialplan-question.ts'
import { routeCall } from '../../core/dialplan/route-call.ts'
import { routeSettings } from '../dialplan-settings.ts'
import { endpoint } from '../endpoint.ts'
import { notFoundXml, writeDialplanXml } from './write-dialplan-xml.ts'

export const handler = endpoint(
  routes.lookUpDialplan,
  {
    accounts: dynamoAccountStore,
    blacklists: dynamoBlacklistStore,
    defaultRoutes: dynamoDefaultRouteStore,
    domains: dynamoDomainStore,
  },
  async ({ body, settings, clock }, ports) => {
    const call = readDialplanQuestion(body)
    if (call === undefined) return notFoundXml()
    const { actions } = await routeCall(ports, call, routeSettings(settings, clock.now()))
    return actions.length === 0 ? notFoundXml() : writeDialplanXml(call.domain, actions)
  },
)
