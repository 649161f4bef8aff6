import { linearCaptures, linearlyFinds } from '../adapters/regex/linear-captures.ts'
import type { RouteSettings } from '../core/dialplan/route-call.ts'
import { clientVariablesOf } from './client-variables.ts'
import type { Settings } from './endpoint/settings.ts'

/** Returns the rules for routing at a moment. */
export function routeSettings(
  settings: Pick<Settings, 'emergencyNumbers' | 'emergencyGateway' | 'clientVariables'>,
  now: number,
): RouteSettings {
  const { emergencyNumbers, emergencyGateway } = settings
  const clientVariables = clientVariablesOf(settings)
  return { now, emergencyNumbers, emergencyGateway, clientVariables, captures: linearCaptures, finds: linearlyFinds }
}
