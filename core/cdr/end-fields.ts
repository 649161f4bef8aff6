/**
 * What an engine tells at the end of a leg, by the names of its events' headers: those of its event, or of its CDR post
 * brought into the same names.
 */
export type EndFields = Readonly<Record<string, string>>

/**
 * Where the connector writes the account of a leg that it knows. Neither the engine nor a post ever has such a field: the
 * connector overwrites it, and the fields of a post have names of their own.
 */
export const knownAccountField = 'Service-Account'

/** A field that the engine told; absent and empty are the same. */
export function told(fields: EndFields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return value === '' ? undefined : value
}

/** The first of several fields that the engine told. */
export function firstTold(fields: EndFields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = told(fields, name)
    if (value !== undefined) return value
  }
  return undefined
}
