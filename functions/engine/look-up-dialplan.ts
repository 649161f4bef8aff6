import { dynamoBlacklistStore } from '../../adapters/dynamodb/blacklists/dynamo-blacklist-store.ts'
import { sourceJudges } from '../../adapters/http/source-judges.ts'
import { gatewayMetrics } from '../../contracts/metrics.ts'
import * as routes from '../../contracts/routes/engine.ts'
import { lowerAscii } from '../../core/access/resolve-domain.ts'
import type { CallPlan, RouteSettings, RoutedCall } from '../../core/dialplan/call-plan.ts'
import { type DialplanQuestion, publicContext, readDialplanQuestion } from '../../core/dialplan/dialplan-question.ts'
import type { EngineAction } from '../../core/dialplan/engine-action.ts'
import { type ReportAmbiguous, gatewayOfCall } from '../../core/dialplan/gateway-of-call.ts'
import { ReportedSources } from '../../core/dialplan/reported-sources.ts'
import type { GatewayStore } from '../../core/gateways/gateway-store.ts'
import { isWithoutRoute, routeCall } from '../../core/dialplan/route-call.ts'
import type { RoutePorts } from '../../core/dialplan/router.ts'
import { application, set } from '../../core/dialplan/step-values.ts'
import { routeSettings } from '../dialplan-settings.ts'
import { endpoint } from '../endpoint.ts'
import { recentReadings, recentStores } from './recent-stores.ts'
import { notFoundXml, writeDialplanXml } from './write-dialplan-xml.ts'

const reported = new ReportedSources()

/** The answer to strangers. An engine that gets no answer cannot tell them from carriers, and says 503 to all. */
const refusal = application('hangup', 'CALL_REJECTED')

const mostDomains = 10

export const handler = endpoint(
  routes.lookUpDialplan,
  { ...recentStores, blacklists: dynamoBlacklistStore },
  async ({ body, query, settings, clock, log }, ports) => {
    const { begun } = recentReadings
    const question = readDialplanQuestion(body)
    if (question === undefined) return notFoundXml()
    const call = await callOf(question, ports.gateways, (source, domains) => {
      if (!reported.isDue(source, clock.now())) return
      log.warn(gatewayMetrics.ambiguous.message, { source, domains: domains.slice(0, mostDomains).join(' ') })
    })
    const forget = (domain: string) => recentReadings.forget(domain, begun)
    const rules = () => routeSettings(settings, clock.now())
    const actions = call === undefined ? [] : (await routeWithMemory(ports, call, rules, forget)).actions
    const spoken = speaking(actions, query.language)
    if ('source' in question) return writeDialplanXml(publicContext, spoken.length === 0 ? [refusal] : spoken)
    return spoken.length === 0 ? notFoundXml() : writeDialplanXml(question.call.domain, spoken)
  },
)

/**
 * Routes a call over stores that keep recent readings. These may lack a new account or route, so the domain is read
 * anew if nothing takes the call, and for an emergency number.
 */
async function routeWithMemory(
  ports: RoutePorts,
  call: RoutedCall,
  rules: () => RouteSettings,
  forget: (domain: string) => boolean,
): Promise<CallPlan> {
  const domain = lowerAscii(call.domain)
  if (rules().emergencyNumbers.includes(call.number)) forget(domain)
  const plan = await routeCall(ports, call, rules())
  return isWithoutRoute(plan) && forget(domain) ? routeCall(ports, call, rules()) : plan
}

function speaking(actions: readonly EngineAction[], language: string | undefined): readonly EngineAction[] {
  if (language === undefined) return actions
  const spoken = set('default_language', language)
  return actions.flatMap((action) => (action.application === 'voicemail' ? [spoken, action] : [action]))
}

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
