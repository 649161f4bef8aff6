import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import {
  dynamoDefaultRouteStore,
  dynamoPublicRouteStore,
} from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import { sourceJudges } from '../../adapters/http/source-judges.ts'
import { gatewayMetrics } from '../../contracts/metrics.ts'
import * as routes from '../../contracts/routes/engine.ts'
import type { RoutedCall } from '../../core/dialplan/call-plan.ts'
import { type DialplanQuestion, publicContext, readDialplanQuestion } from '../../core/dialplan/dialplan-question.ts'
import type { EngineAction } from '../../core/dialplan/engine-action.ts'
import { type ReportAmbiguous, gatewayOfCall } from '../../core/dialplan/gateway-of-call.ts'
import { ReportedSources } from '../../core/dialplan/reported-sources.ts'
import type { GatewayStore } from '../../core/gateways/gateway-store.ts'
import { routeCall } from '../../core/dialplan/route-call.ts'
import { set } from '../../core/dialplan/step-values.ts'
import { routeSettings } from '../dialplan-settings.ts'
import { endpoint } from '../endpoint.ts'
import { notFoundXml, writeDialplanXml } from './write-dialplan-xml.ts'

/** Ambiguous sources that this process has reported. */
const reported = new ReportedSources()

/** The most domains that a line of the log names. */
const mostDomains = 10

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
  async ({ body, query, settings, clock, log }, ports) => {
    const question = readDialplanQuestion(body)
    const call =
      question &&
      (await callOf(question, ports.gateways, (source, domains) => {
        if (!reported.isDue(source, clock.now())) return
        log.warn(gatewayMetrics.ambiguous.message, { source, domains: domains.slice(0, mostDomains).join(' ') })
      }))
    if (call === undefined) return notFoundXml()
    const { actions } = await routeCall(ports, call, routeSettings(settings, clock.now()))
    const context = call.gateway === undefined ? call.domain : publicContext
    return actions.length === 0 ? notFoundXml() : writeDialplanXml(context, speaking(actions, query.language))
  },
)

/** Makes mailboxes speak a language, whatever the caller's is. */
function speaking(actions: readonly EngineAction[], language: string | undefined): readonly EngineAction[] {
  if (language === undefined) return actions
  const spoken = set('default_language', language)
  return actions.flatMap((action) => (action.application === 'voicemail' ? [spoken, action] : [action]))
}

/** Returns the call with its domain; `undefined` for one of a stranger. */
async function callOf(
  question: DialplanQuestion,
  gateways: Pick<GatewayStore, 'read' | 'listByNetwork'>,
  report: (source: string, ...domains: Parameters<ReportAmbiguous>) => void,
): Promise<RoutedCall | undefined> {
  if (!('source' in question)) return question.call
  const { source } = question
  const gateway = await gatewayOfCall(gateways, source, sourceJudges, (domains) => report(source.address, domains))
  return gateway && { ...question.call, domain: gateway.domain, gateway }
}
