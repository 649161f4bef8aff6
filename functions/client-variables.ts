import { readClientVariables } from '../contracts/client-variables.ts'
import { environment } from '../contracts/environment.ts'
import type { ClientVariables } from '../core/client-names/client-names.ts'
import type { Settings } from './endpoint/cloud.ts'

const kept = new Map<string, ClientVariables>()

// A malformed setting stops the function while it loads, before its first request.
clientVariablesOf({ clientVariables: process.env[environment.clientVariables] ?? '' })

/**
 * Returns the names that the operator lets clients set. Only functions that check such names load the matcher of
 * patterns, and compile the setting once. The deployment has compared the names with those that the engine reads; that
 * list is too large for a bundle. Throws an error that names the variable when the setting is malformed.
 */
export function clientVariablesOf({ clientVariables: text }: Pick<Settings, 'clientVariables'>): ClientVariables {
  const variables = kept.get(text) ?? read(text)
  kept.set(text, variables)
  return variables
}

function read(text: string): ClientVariables {
  try {
    return readClientVariables(text)
  } catch (error) {
    throw new Error(`${environment.clientVariables} ${error instanceof Error ? error.message : 'cannot be read'}`, {
      cause: error,
    })
  }
}
