import { environment } from '../environment.ts'
import { readClientVariables } from '../client-variables.ts'
import { isEngineName } from '../engine-names.ts'
import { type Variable, readBy } from './setting.ts'

/**
 * A file of its own, since the pattern matcher and the list of the engine's names add 190 KB to a bundle. The
 * deployment checks the names; functions read only the patterns, when they need them (functions/client-variables.ts).
 */
export const clientVariables = {
  variable: environment.clientVariables,
  context: 'clientVariables',
  readers: ['connector', 'laptop'],
  rule: () => readBy((text) => readClientVariables(text, isEngineName), 'a JSON object of names and patterns'),
  fallback: '',
  unset: 'none',
  meaning: 'channel variables that clients may set in addition to the closed lists, as JSON: `{"tier": "[a-z]{1,16}"}`',
} as const satisfies Variable
