import { couldBeDomain, lowerAscii } from '../access/resolve-domain.ts'
import type { Account } from '../accounts/account.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { BlacklistStore } from '../blacklists/blacklist-store.ts'
import type { RouteStore } from '../default-routes/route-store.ts'
import type { RouteHead } from '../default-routes/stored-route.ts'
import { ignoredSteps } from '../default-routes/ignored-steps.ts'
import type { Domain } from '../domains/domain.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import { splitPattern } from '../patterns/pattern.ts'
import { askBlacklist } from './ask-blacklist.ts'
import type { Cursor } from './branches.ts'
import {
  type JudgedCall,
  actionsOfEveryCall,
  emergencyVariable,
  failing,
  planned,
  ringActions,
} from './call-actions.ts'
import { TooMuchPatternWork } from './call-patterns.ts'
import { type CallPlan, type JudgedCallflow, type RouteSettings, type RoutedCall, planOf } from './call-plan.ts'
import { localTime } from './call-time.ts'
import { checkCompiles } from './check-compiles.ts'
import { type BlacklistQuestion, blacklistKey, positionVariable, runCallflow } from './run-callflow.ts'
import { accountPattern, application } from './step-values.ts'

/** The ports of {@link routeCall}. */
export interface RoutePorts {
  readonly accounts: Pick<AccountStore, 'read' | 'readByNumber'>
  readonly blacklists: Pick<BlacklistStore, 'read'>
  readonly defaultRoutes: Pick<RouteStore, 'list' | 'callflows'>
  readonly domains: Pick<DomainStore, 'read'>
}

/** The most blacklists that one callflow is evaluated with: a callflow has 200 steps on each level. */
const maxBlacklists = 200

/**
 * Routes a call: an emergency number by the first enabled route that matches it, or the emergency gateway; an account's login
 * or number to the account; any other by the first enabled default route whose pattern matches the whole dialled text. A
 * caller on the domain's `default_blacklist` is refused, unless the number is an emergency number. A call that comes back
 * from its own route goes on where it left it. Patterns that are too much work end the call,
 * or leave it to the emergency gateway.
 */
export async function routeCall(ports: RoutePorts, call: RoutedCall, settings: RouteSettings): Promise<CallPlan> {
  const name = lowerAscii(call.domain)
  const nothing = planOf({ kind: 'none' }, [], [], call.variables)
  if (!couldBeDomain(name) || !accountPattern.test(call.number)) return nothing
  const isEmergency = settings.emergencyNumbers.includes(call.number)
  const [domain, account, { routes }] = await Promise.all([
    ports.domains.read(name),
    isEmergency ? undefined : findAccount(ports, name, call.number),
    ports.defaultRoutes.list(name),
  ])
  if (domain === undefined) return nothing
  const isExempt = isEmergency || call.variables.get(emergencyVariable) === 'true'
  const router = new Router(ports, { ...call, domain: name, isExempt }, settings, domain)
  const position = positionOf(call)
  try {
    if (position !== undefined) return await router.goOn(routes, position, isEmergency)
    if (!isExempt && (await router.isRefused())) return router.refusal()
    if (account !== undefined) return router.ring(account)
    return await router.byDefaultRoute(routes, isEmergency)
  } catch (error) {
    if (!(error instanceof TooMuchPatternWork)) throw error
    return isEmergency ? router.withoutRoute('emergency', []) : router.tooMuch(error.message)
  }
}

/** Returns the position of a call that asks for the rest of its route; `undefined` if it asks for another number now. */
function positionOf({ number, variables }: RoutedCall): { readonly id: string; readonly cursor: Cursor } | undefined {
  const [, id, indices, asked] =
    /^([0-9a-f]{24}):(\d{1,3}(?:\.\d{1,5}){0,24}):(.+)$/.exec(variables.get(positionVariable) ?? '') ?? []
  if (id === undefined || indices === undefined || asked !== number) return undefined
  return { id, cursor: indices.split('.').map(Number) }
}

async function findAccount({ accounts }: RoutePorts, domain: string, number: string): Promise<Account | undefined> {
  return (await accounts.read(domain, number)) ?? (await accounts.readByNumber(domain, number))
}

/** Routes one call of a domain. */
class Router {
  readonly #ports: RoutePorts
  readonly #call: JudgedCall
  readonly #settings: RouteSettings
  readonly #domain: Domain
  readonly #listed = new Map<string, boolean>()

  constructor(ports: RoutePorts, call: JudgedCall, settings: RouteSettings, domain: Domain) {
    this.#ports = ports
    this.#call = call
    this.#settings = settings
    this.#domain = domain
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

  /** Rings an account, then opens its mailbox if it has one. */
  ring(account: Account): CallPlan {
    const actions = [...actionsOfEveryCall(this.#call), ...ringActions(account, this.#domain)]
    return planOf({ kind: 'account', name: account.login }, actions, [], this.#call.variables)
  }

  async byDefaultRoute(routes: readonly RouteHead[], isEmergency: boolean): Promise<CallPlan> {
    const kind = isEmergency ? 'emergency' : 'default'
    const considered: { id: string; name: string; reason: string }[] = []
    for (const route of routes) {
      const captures = route.disabled ? undefined : await this.#capturesOf(route)
      const reason = route.disabled ? 'is disabled' : captures === undefined ? 'does not match' : 'matches'
      considered.push({ id: route.id, name: route.name, reason })
      if (captures !== undefined) return this.#run(kind, route, { captures, considered, cursor: undefined })
    }
    return this.withoutRoute(kind, considered)
  }

  /** Sends an emergency call to the emergency gateway, if there is one. */
  withoutRoute(kind: 'default' | 'emergency', considered: CallPlan['considered']): CallPlan {
    if (kind === 'default' || this.#settings.emergencyGateway === '') {
      return planOf({ kind: 'none' }, [], considered, this.#call.variables)
    }
    const dialled = `sofia/gateway/${this.#settings.emergencyGateway}/${this.#call.number}`
    const actions = [...actionsOfEveryCall(this.#call), planned('emergency', application('bridge', dialled))]
    return planOf({ kind }, actions, considered, this.#call.variables)
  }

  /** Goes on with a route from the position that the call names, unless the route is gone or disabled. */
  async goOn(
    routes: readonly RouteHead[],
    { id, cursor }: { readonly id: string; readonly cursor: Cursor },
    isEmergency: boolean,
  ): Promise<CallPlan> {
    const kind = isEmergency ? 'emergency' : 'default'
    const route = routes.find((each) => each.id === id && !each.disabled)
    const captures = route && (await this.#capturesOf(route))
    if (route === undefined || captures === undefined) return this.#broken(kind, { kind: 'none' }, [])
    return this.#run(kind, route, { captures, considered: [], cursor })
  }

  /** Ends a call whose route is gone, or cannot be read; an emergency call goes to the emergency gateway, if there is one. */
  #broken(kind: 'default' | 'emergency', matched: CallPlan['matched'], considered: CallPlan['considered']): CallPlan {
    if (kind === 'emergency' && this.#settings.emergencyGateway !== '') return this.withoutRoute(kind, considered)
    return planOf(matched, [failing], considered, this.#call.variables)
  }

  /** Ends a call whose routes have patterns that are too much work. */
  tooMuch(reason: string): CallPlan {
    const plan = planOf({ kind: 'none' }, [failing], [], this.#call.variables)
    return { ...plan, steps: [{ ...failing, taken: true, reason }] }
  }

  #capturesOf({ destinationNumber }: RouteHead): Promise<readonly string[] | undefined> {
    const { pattern, flags } = splitPattern(destinationNumber)
    return this.#settings.patterns.captures(this.#domain.name, pattern, flags, this.#call.number)
  }

  async #run(
    kind: 'default' | 'emergency',
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
    const { callflow, ignored } = await this.#callflowOf(id)
    if (!ignored.isReadable) return this.#broken(kind, { kind, id, name }, considered)
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
      if (plan.asks !== undefined && asked >= maxBlacklists) return this.#broken(kind, { kind, id, name }, considered)
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
    const callflow = (await this.#ports.defaultRoutes.callflows(domain, [id])).get(id) ?? []
    const judged = { callflow, ignored: ignoredSteps({ domain, callflow }, { clientVariables, checkCompiles }) }
    callflows?.set(id, judged)
    return judged
  }

  async #isListed(question: BlacklistQuestion): Promise<boolean> {
    const isListed = await askBlacklist(this.#ports.blacklists, this.#call, question)
    this.#listed.set(blacklistKey(question), isListed)
    return isListed
  }
}
