import type { CallPlan, RouteSettings, RoutedCall } from './call-plan.ts'
import { publicContext } from './dialplan-question.ts'
import { menuVariable } from './menu-actions.ts'
import { routeCall } from './route-call.ts'
import type { RoutePorts } from './router.ts'
import type { PlannedStep } from './run-callflow.ts'

/** The path of a call through the routes of its domain. */
export interface SimulatedCall extends Pick<CallPlan, 'matched' | 'considered'> {
  readonly steps: readonly PlannedStep[]
  readonly end: { readonly cause: string } | { readonly application: string }
}

/** The transfers that an engine makes before it ends a call as one that goes in circles. */
const maxTransfers = 70

const maxSteps = 2_000

/** Applications in which a call stays until it ends, or that end it by their own result. */
const staying: ReadonlySet<string> = new Set([
  'bridge',
  'echo',
  'park',
  'valet_park',
  'conference',
  'voicemail',
  'fifo',
])

/**
 * Follows a call through its routes without placing it, with the evaluator that makes the engine's dial plan. What the
 * engine alone would find out during the call is taken from the variables, and the keys that the caller presses at each
 * menu from `digits`, in their order.
 */
export async function simulateCall(
  ports: RoutePorts,
  call: RoutedCall,
  rules: RouteSettings,
  digits: readonly string[] = [],
): Promise<SimulatedCall> {
  const pressed = digits.values()
  const settings = { ...rules, callflows: new Map() }
  const first = await routeCall(ports, call, settings)
  const steps: PlannedStep[] = [...first.steps]
  let plan = first
  for (let transfers = 0; plan.asksAgain; transfers++) {
    if (transfers >= maxTransfers || steps.length > maxSteps) {
      return { ...shown(first), steps: steps.slice(0, maxSteps), end: { cause: 'EXCHANGE_ROUTING_ERROR' } }
    }
    const [number = '', , context = ''] = plan.actions.at(-1)?.data.split(' ') ?? []
    const variables = new Map([...plan.variables, ['destination_number', number], ['context', context]])
    if (plan.actions.some(({ kind }) => kind === 'menu')) variables.set(menuVariable, pressed.next().value ?? '')
    // A call from a gateway that is sent to a number of the domain is one of the domain from there on.
    const gateway = context === publicContext ? call.gateway : undefined
    const present = variables.get('caller_id_number') ?? call.caller.number
    const caller = { ...call.caller, number: present, nameToShow: undefined }
    plan = await routeCall(ports, { ...call, number, caller, variables, gateway }, settings)
    steps.push(...plan.steps)
  }
  return { ...shown(first), steps, end: endOf(plan) }
}

function shown({ matched, considered }: CallPlan): Pick<CallPlan, 'matched' | 'considered'> {
  return { matched, considered }
}

function endOf({ matched, actions }: CallPlan): SimulatedCall['end'] {
  const last = actions.at(-1)
  if (last === undefined) {
    return {
      cause: matched.kind === 'none' || matched.kind === 'emergency' ? 'NO_ROUTE_DESTINATION' : 'NORMAL_CLEARING',
    }
  }
  if (last.application === 'hangup') return { cause: last.data }
  return staying.has(last.application) ? { application: last.application } : { cause: 'NORMAL_CLEARING' }
}
