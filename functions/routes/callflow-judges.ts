import { linearPatternProblem } from '../../adapters/regex/linear-pattern.ts'
import type { Caller } from '../../core/auth/token.ts'
import type { CallflowJudges } from '../../core/routes/parse-callflow.ts'
import { scriptRights } from '../../core/routes/route-input.ts'
import { clientVariablesOf } from '../client-variables.ts'
import type { Settings } from '../endpoint/settings.ts'

/** What a callflow is judged by, from the request that brings it. */
export function callflowJudges(request: {
  readonly domain: string
  readonly caller: Pick<Caller, 'acl'>
  readonly settings: Pick<Settings, 'scriptSteps' | 'clientVariables'>
}): CallflowJudges {
  return {
    domain: request.domain,
    patternProblem: linearPatternProblem,
    clientVariables: clientVariablesOf(request.settings),
    scripts: scriptRights(request.caller.acl, request.settings.scriptSteps),
  }
}
