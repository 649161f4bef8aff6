import type { ClientVariables } from '../client-names/client-names.ts'
import { DomainError } from '../errors.ts'
import type { DefaultRoute } from './default-route.ts'
import { parseCallflow } from './parse-callflow.ts'

/**
 * Returns the positions in a stored callflow that would be refused today, such as `callflow[3].setVar`: the engine is not
 * served these members. Patterns and permissions are not checked again.
 */
export function ignoredSteps(
  { domain, callflow }: Pick<DefaultRoute, 'domain' | 'callflow'>,
  clientVariables: ClientVariables,
): string[] {
  const places: string[] = []
  try {
    parseCallflow(callflow, {
      domain,
      patternProblem: () => undefined,
      scripts: { areOn: true, arePermitted: true },
      clientVariables,
      refuse: (at) => places.push(at),
    })
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    places.push(error.details?.[0]?.field ?? 'callflow')
  }
  return [...new Set(places)]
}
