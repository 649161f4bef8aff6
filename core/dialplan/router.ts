import type { Account } from '../accounts/account.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { BlacklistStore } from '../blacklists/blacklist-store.ts'
import { ignoredSteps } from '../default-routes/ignored-steps.ts'
import type { RouteStore } from '../default-routes/route-store.ts'
import type { CallflowStep, RouteHead } from '../default-routes/stored-route.ts'
import type { Domain } from '../domains/domain.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import type { GatewayStore } from '../gateways/gateway-store.ts'
import { splitPattern } from '../requests/pattern.ts'
import { askBlacklist } from './ask-blacklist.ts'
import { callsGateways, inBrackets } from './bridge-actions.ts'
import type { Cursor } from './branches.ts'
import { type JudgedCall, actionsOfEveryCall, failing, planned, ringActions } from './call-actions.ts'
import { type CallPlan, type JudgedCallflow, type RouteSettings, planOf } from './call-plan.ts'
import { localTime } from './call-time.ts'
import { findAccount } from './find-account.ts'
import type { CallVariables } from './call-variables.ts'
import { checkCompiles } from './check-compiles.ts'
import { publicContext } from './dialplan-question.ts'
import { type GatewayCaller, nothingOfThePhone, showing, termsOfCalled } from './gateway-terms.ts'
import {
  type BlacklistQuestion,
  type CallflowCall,
  blacklistKey,
  positionVariable,
  runCallflow,
} from './run-callflow.ts'
import { application } from './step-values.ts'

/** The ports of a {@link Router}. */
export interface RoutePorts {
  readonly accounts: Pick<AccountStore, 'read' | 'readByNumber'>
  readonly blacklists: Pick<BlacklistStore, 'read'>
  readonly defaultRoutes: Pick<RouteStore, 'list' | 'callflows'>
  readonly publicRoutes: Pick<RouteStore, 'list' | 'callflows'>
  readonly gateways: Pick<GatewayStore, 'list'>
  readonly domains: Pick<DomainStore, 'read'>
}

/** The routes that a call takes: public ones for calls from gateways, else default ones, also for emergency numbers. */
type RouteKind = 'default' | 'emergency' | 'public'

/** The most blacklists that one callflow is evaluated with: a callflow has 200 steps on each level. */
const maxBlacklists = 200

/** Routes one call of a domain. */
export class Router {
  readonly #ports: RoutePorts
  readonly #call: JudgedCall
  readonly #settings: RouteSettings
  readonly #domain: Domain
  readonly #kind: RouteKind
  readonly #listed = new Map<string, boolean>()

  constructor(
    ports: RoutePorts,
    call: JudgedCall,
    settings: RouteSettings,
    { domain, kind }: { readonly domain: Domain; readonly kind: RouteKind },
  ) {
    this.#ports = ports
    this.#call = call
    this.#settings = settings
    this.#domain = domain
    this.#kind = kind
  }

  /** Whether the caller is on the list that the domain asks before every route. */
  async isRefused(): Promise<boolean> {
    const list = this.#domain.variables['default_blacklist']
    return list !== undefined && list !== '' && this.#isListed({ list })
  }

  refusal(): CallPlan {
    const actions = [...actionsOfEveryCall(this.#call), planned('blackList', application('hangup', 'CALL_REJECTED'))]
    return planOf({ kind: 'none', name: 'default_blacklist' }, actions, [], this.#call.variables)
  }

  ring(account: Account): CallPlan {
    const actions = [...actionsOfEveryCall(this.#call), ...ringActions(account, this.#domain)]
    return planOf({ kind: 'account', name: account.login }, actions, [], this.#call.variables)
  }

  /** Takes the first enabled route that matches; of public routes, those of the call's gateway come first. */
  async byRoute(routes: readonly RouteHead[]): Promise<CallPlan> {
    const considered: { id: string; name: string; reason: string }[] = []
    for (const route of this.#inOrder(routes)) {
      const isForAnother = route.gateway !== undefined && route.gateway !== this.#call.gateway?.name
      const captures = route.disabled || isForAnother ? undefined : await this.#capturesOf(route)
      const reason = captures === undefined ? 'does not match' : 'matches'
      const { id, name } = route
      considered.push({
        id,
        name,
        reason: route.disabled ? 'is disabled' : isForAnother ? 'is for another gateway' : reason,
      })
      if (captures !== undefined) return this.#run(route, { captures, considered, cursor: undefined })
    }
    return this.withoutRoute(considered)
  }

  #inOrder(routes: readonly RouteHead[]): readonly RouteHead[] {
    if (this.#kind !== 'public') return routes
    return routes.toSorted((a, b) => Number(a.gateway === undefined) - Number(b.gateway === undefined))
  }

  /** Sends an emergency call to the emergency gateway, if there is one, and ends a call from a gateway. */
  async withoutRoute(considered: CallPlan['considered']): Promise<CallPlan> {
    const { variables, number } = this.#call
    if (this.#kind === 'public') {
      const actions = [...actionsOfEveryCall(this.#call), planned('route', application('hangup', 'UNALLOCATED_NUMBER'))]
      return planOf({ kind: 'none' }, actions, considered, variables)
    }
    if (this.#kind === 'default' || this.#settings.emergencyGateway === '') {
      return planOf({ kind: 'none' }, [], considered, variables)
    }
    const ofLeg = inBrackets('[]', showing(undefined, this.#caller(await this.#account(), variables)), '')
    const bridge = application('bridge', `${ofLeg}sofia/gateway/${this.#settings.emergencyGateway}/${number}`)
    const ofCall = actionsOfEveryCall(this.#call)
    const actions = [...ofCall, ...[...nothingOfThePhone, bridge].map((action) => planned('emergency', action))]
    return planOf({ kind: this.#kind }, actions, considered, variables)
  }

  async goOn(
    routes: readonly RouteHead[],
    { id, cursor }: { readonly id: string; readonly cursor: Cursor },
  ): Promise<CallPlan> {
    const route = routes.find((each) => each.id === id && !each.disabled)
    const captures = route && (await this.#capturesOf(route))
    if (route === undefined || captures === undefined) return this.#broken({ kind: 'none' }, [])
    return this.#run(route, { captures, considered: [], cursor })
  }

  async #broken(matched: CallPlan['matched'], considered: CallPlan['considered']): Promise<CallPlan> {
    if (this.#kind === 'emergency' && this.#settings.emergencyGateway !== '') return this.withoutRoute(considered)
    return planOf(matched, [failing], considered, this.#call.variables)
  }

  tooMuch(reason: string): CallPlan {
    const plan = planOf({ kind: 'none' }, [failing], [], this.#call.variables)
    return { ...plan, steps: [{ ...failing, taken: true, reason }] }
  }

  #capturesOf({ destinationNumber }: RouteHead): Promise<readonly string[] | undefined> {
    const { pattern, flags } = splitPattern(destinationNumber)
    return this.#settings.patterns.captures(this.#domain.name, pattern, flags, this.#call.number)
  }

  async #run(
    { id, name, fsTimezone }: RouteHead,
    {
      captures,
      considered,
      cursor,
    }: {
      readonly captures: readonly string[]
      readonly considered: CallPlan['considered']
      readonly cursor: Cursor | undefined
    },
  ): Promise<CallPlan> {
    const kind = this.#kind
    const { callflow, ignored } = await this.#callflowOf(id)
    if (!ignored.isReadable) return this.#broken({ kind, id, name }, considered)
    const through = await this.#gatewaysFor(callflow)
    const zone = fsTimezone ?? this.#domain.variables['timezone'] ?? 'UTC'
    const { variables } = this.#call
    const before =
      cursor === undefined ? actionsOfEveryCall(this.#call) : [planned('route', application('unset', positionVariable))]
    const known = new Map(variables)
    known.delete(positionVariable)
    for (let asked = 0; ; ) {
      const plan = runCallflow(
        { id, callflow },
        {
          domain: this.#domain.name,
          context: kind === 'public' ? publicContext : this.#domain.name,
          through,
          number: this.#call.number,
          captures,
          variables: known,
          time: localTime(this.#settings.now, zone),
          finds: this.#settings.patterns.finder(this.#domain.name),
          isEmergency: this.#call.isExempt,
          ignored: ignored.places,
          listed: this.#listed,
        },
        cursor,
      )
      if (await this.#settings.patterns.restIfCut()) continue
      if (plan.asks !== undefined && asked >= maxBlacklists) return this.#broken({ kind, id, name }, considered)
      if (plan.asks !== undefined) {
        asked += 1
        await this.#isListed(plan.asks)
        continue
      }
      const steps = [...before.map((action) => ({ ...action, taken: true, reason: '' })), ...plan.steps]
      const actions = [...before, ...plan.actions]
      const asksAgain = actions.at(-1)?.application === 'transfer'
      return { matched: { kind, id, name }, considered, actions, steps, asksAgain, variables: plan.variables }
    }
  }

  /** Reads and judges a callflow: once for a call that is simulated, which comes back to its route up to 70 times. */
  async #callflowOf(id: string): Promise<JudgedCallflow> {
    const { callflows, clientVariables } = this.#settings
    const kept = callflows?.get(id)
    if (kept !== undefined) return kept
    const domain = this.#domain.name
    const { defaultRoutes, publicRoutes } = this.#ports
    const isPublic = this.#kind === 'public'
    const found = isPublic ? publicRoutes.callflows(domain, [id]) : defaultRoutes.callflows(domain, [id])
    const callflow = (await found).get(id) ?? []
    const judged = { callflow, ignored: ignoredSteps({ domain, callflow }, { clientVariables, checkCompiles }) }
    callflows?.set(id, judged)
    return judged
  }

  async #gatewaysFor(callflow: readonly CallflowStep[]): Promise<CallflowCall['through']> {
    if (!callsGateways(callflow)) return undefined
    const [gateways, account] = await Promise.all([this.#ports.gateways.list(this.#domain.name), this.#account()])
    return (name, variables) => {
      const gateway = gateways.find((each) => each.name === name && each.enabled)
      return gateway && termsOfCalled(gateway, this.#caller(account, variables), this.#call.isExempt)
    }
  }

  async #account(): Promise<Account | undefined> {
    const { login, called } = this.#call.caller
    const name = login ?? called
    return name === undefined ? undefined : findAccount(this.#ports.accounts, this.#domain.name, name)
  }

  /** A number that a route has set since is shown as if the phone had sent it. */
  #caller(account: Account | undefined, variables: CallVariables): GatewayCaller {
    const { number, sent = number } = this.#call.caller
    const present = variables.get('caller_id_number')
    const changed = present === number ? undefined : present
    return { domain: this.#domain, account, sent: variables.get('effective_caller_id_number') ?? changed ?? sent }
  }

  async #isListed(question: BlacklistQuestion): Promise<boolean> {
    const isListed = await askBlacklist(this.#ports.blacklists, this.#domain, this.#call.caller, question)
    this.#listed.set(blacklistKey(question), isListed)
    return isListed
  }
}
