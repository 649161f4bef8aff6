import { patternRest } from '../adapters/regex/linear-pattern.ts'
import { routePattern } from '../adapters/regex/route-pattern.ts'
import { CallPatterns } from '../core/dialplan/call-patterns.ts'
import type { RouteSettings } from '../core/dialplan/call-plan.ts'
import { clientVariablesOf } from './client-variables.ts'
import type { Settings } from './endpoint/cloud.ts'

/** Returns the rules for routing one call at a moment. */
export function routeSettings(
  settings: Pick<Settings, 'emergencyNumbers' | 'emergencyGateway' | 'clientVariables'>,
  now: number,
): RouteSettings {
  const { emergencyNumbers, emergencyGateway } = settings
  const clientVariables = clientVariablesOf(settings)
  const patterns = new CallPatterns({ compile: routePattern, rest: patternRest })
  return { now, emergencyNumbers, emergencyGateway, clientVariables, patterns }
}
