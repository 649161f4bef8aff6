import type { ClientVariables } from '../client-names/client-names.ts'
import type { CallflowStep } from '../default-routes/stored-route.ts'
import type { IgnoredSteps } from '../default-routes/ignored-steps.ts'
import type { Gateway } from '../gateways/gateway.ts'
import type { CallPatterns } from './call-patterns.ts'
import type { CallVariables } from './call-variables.ts'
import type { PlannedAction, PlannedStep } from './run-callflow.ts'

/** Who calls. */
export interface RoutedCaller {
  /** The number that the caller has: that of the account, if the engine authenticated it. */
  readonly number: string
  readonly login?: string | undefined
  /** The login or number of the account that the engine has called for this leg, as for a call that the API places. */
  readonly called?: string | undefined
  /** The number that the phone itself sent. */
  readonly sent?: string | undefined
  /** The account's name; set only while the engine still shows what the phone sent. */
  readonly nameToShow?: string | undefined
}

/** A call that is to be routed. */
export interface RoutedCall {
  readonly domain: string
  /** The dialled text without its parameters. */
  readonly number: string
  readonly caller: RoutedCaller
  readonly variables: CallVariables
  /** The gateway that the call comes from; absent for a call of the domain itself. */
  readonly gateway?: Gateway | undefined
}

/** The rules and the moment for routing, in addition to the call and the stores. */
export interface RouteSettings {
  /** Epoch milliseconds. */
  readonly now: number
  readonly emergencyNumbers: readonly string[]
  /** A gateway of the engine that takes emergency calls without a route; empty: none. */
  readonly emergencyGateway: string
  readonly patterns: CallPatterns
  readonly clientVariables: ClientVariables
  readonly callflows?: Map<string, JudgedCallflow>
}

/** A stored callflow, and what of it is not served. */
export interface JudgedCallflow {
  readonly callflow: readonly CallflowStep[]
  readonly ignored: IgnoredSteps
}

/** How a call is routed. */
export interface CallPlan {
  readonly matched: {
    readonly kind: 'emergency' | 'account' | 'default' | 'public' | 'none'
    readonly id?: string
    readonly name?: string
  }
  readonly considered: readonly { readonly id: string; readonly name: string; readonly reason: string }[]
  readonly actions: readonly PlannedAction[]
  readonly steps: readonly PlannedStep[]
  /** Whether the engine asks again, with the variables as they are then. */
  readonly asksAgain: boolean
  readonly variables: CallVariables
}

/** Returns the plan of a call that takes no route: all its actions are taken. */
export function planOf(
  matched: CallPlan['matched'],
  actions: readonly PlannedAction[],
  considered: CallPlan['considered'],
  variables: CallVariables,
): CallPlan {
  const steps = actions.map((action) => ({ ...action, taken: true, reason: '' }))
  return { matched, considered, actions, steps, asksAgain: false, variables }
}
