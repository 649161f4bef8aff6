import { readClientVariables } from '../contracts/client-variables.ts'
import { environment } from '../contracts/environment.ts'
import type { ClientVariables } from '../core/client-names/client-names.ts'
import type { Settings } from './endpoint/settings.ts'

const kept = new Map<string, ClientVariables>()

/**
 * What the operator adds to the names that clients may set. Only the functions that judge such names load the matcher
 * of patterns, and compile the setting once. Throws an error that names the variable when it is malformed.
 */
export function clientVariablesOf({ clientVariables: text }: Pick<Settings, 'clientVariables'>): ClientVariables {
  const variables = kept.get(text) ?? read(text)
  kept.set(text, variables)
  return variables
}

function read(text: string): ClientVariables {
  try {
    return readClientVariables(text)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'cannot be read'
    throw new Error(`environment variable ${environment.clientVariables} ${problem}`, { cause })
  }
}
