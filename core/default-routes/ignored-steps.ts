import type { ClientVariables } from '../client-names/client-names.ts'
import { DomainError } from '../errors.ts'
import type { StoredRoute } from './stored-route.ts'
import { type CompileJudge, parseCallflow } from './parse-callflow.ts'

/** The rules for a callflow that is stored already. */
export interface StoredCallflowJudges {
  readonly clientVariables: ClientVariables
  readonly checkCompiles: CompileJudge
}

/** The positions in a stored callflow that would be refused today. */
export interface IgnoredSteps {
  /** Such as `callflow[3].setVar`. */
  readonly places: readonly string[]
  /** Whether everything else was checked; otherwise nothing of the callflow may be served. */
  readonly isReadable: boolean
}

/**
 * Returns the positions in a stored callflow that would be refused today: the engine is not served these steps.
 * Patterns and permissions are not checked again.
 */
export function ignoredSteps(
  { domain, callflow }: Pick<StoredRoute, 'domain' | 'callflow'>,
  judges: StoredCallflowJudges,
): IgnoredSteps {
  const places: string[] = []
  let isReadable = true
  try {
    parseCallflow(callflow, {
      ...judges,
      domain,
      patternProblem: () => undefined,
      scripts: { areOn: true, arePermitted: true },
      refuse: (at) => places.push(at),
    })
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    places.push(error.details?.[0]?.field ?? 'callflow')
    isReadable = false
  }
  return { places: [...new Set(places)], isReadable }
}
