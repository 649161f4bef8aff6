/** The engine's report about the end of a leg, under the names of event headers. From an event or a CDR post. */
export type EndFields = Readonly<Record<string, string>>

/**
 * The header in which the connector records the account of a leg that it knows. Neither the engine nor a post can set
 * it: the connector overwrites it, and the fields of a post have names of their own.
 */
export const knownAccountField = 'Service-Account'

/** Returns a reported field; an empty value counts as absent. */
export function reported(fields: EndFields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return value === '' ? undefined : value
}

/** Returns the first of several fields that the engine reported. */
export function firstReported(fields: EndFields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = reported(fields, name)
    if (value !== undefined) return value
  }
  return undefined
}
