import { patternJudge } from '../../adapters/regex/written-patterns.ts'
import type { Caller } from '../../core/access/token.ts'
import type { CallflowJudges } from '../../core/default-routes/parse-callflow.ts'
import { scriptRights } from '../../core/default-routes/route-input.ts'
import { checkCompiles } from '../../core/dialplan/check-compiles.ts'
import { clientVariablesOf } from '../client-variables.ts'
import type { Settings } from '../endpoint/cloud.ts'

/** Returns the checks that apply to a callflow, taken from its request. */
export function callflowJudges(request: {
  readonly domain: string
  readonly caller: Pick<Caller, 'acl'>
  readonly settings: Pick<Settings, 'scriptSteps' | 'clientVariables'>
}): CallflowJudges {
  return {
    domain: request.domain,
    patternProblem: patternJudge(),
    checkCompiles,
    clientVariables: clientVariablesOf(request.settings),
    scripts: scriptRights(request.caller.acl, request.settings.scriptSteps),
  }
}
