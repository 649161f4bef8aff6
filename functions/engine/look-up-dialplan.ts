import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import {
  dynamoDefaultRouteStore,
  dynamoPublicRouteStore,
} from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import { sourceJudges } from '../../adapters/http/source-judges.ts'
import * as routes from '../../contracts/routes/engine.ts'
import type { RoutedCall } from '../../core/dialplan/call-plan.ts'
import { type DialplanQuestion, publicContext, readDialplanQuestion } from '../../core/dialplan/dialplan-question.ts'
import { gatewayOfCall } from '../../core/dialplan/gateway-of-call.ts'
import type { GatewayStore } from '../../core/gateways/gateway-store.ts'
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
    publicRoutes: dynamoPublicRouteStore,
    gateways: dynamoGatewayStore,
    domains: dynamoDomainStore,
  },
  async ({ body, settings, clock }, ports) => {
    const question = readDialplanQuestion(body)
    const call = question && (await callOf(question, ports.gateways))
    if (call === undefined) return notFoundXml()
    const { actions } = await routeCall(ports, call, routeSettings(settings, clock.now()))
    const context = call.gateway === undefined ? call.domain : publicContext
    return actions.length === 0 ? notFoundXml() : writeDialplanXml(context, actions)
  },
)

/** Returns the call with its domain; `undefined` for one of a stranger. */
async function callOf(
  question: DialplanQuestion,
  gateways: Pick<GatewayStore, 'read' | 'listByNetwork'>,
): Promise<RoutedCall | undefined> {
  if (!('source' in question)) return question.call
  const gateway = await gatewayOfCall(gateways, question.source, sourceJudges)
  return gateway && { ...question.call, domain: gateway.domain, gateway }
}
