import { environment } from '../environment.ts'
import { readClientVariables } from '../client-variables.ts'
import { isEngineName } from '../engine-names.ts'
import { readBy } from './rule.ts'
import type { Variable } from './setting.ts'

/**
 * A file of its own, since the matcher of patterns and the list of the engine's names are 190 KB of a bundle. Functions
 * leave the names to the deployment, and read the patterns where they need them (functions/client-variables.ts).
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
