import type { Clock, Randomness } from '../core/time.ts'

/** The dependencies of every adapter. */
export interface AdapterContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly random: Randomness
}

/**
 * Returns the value of a variable that the adapter cannot do without. Throws an error that names the variable, never
 * its value, when it is absent or empty.
 */
export function required(context: Pick<AdapterContext, 'env'>, variable: string): string {
  const value = context.env[variable]
  if (value === undefined || value === '') throw new Error(`environment variable ${variable} is not set`)
  return value
}
