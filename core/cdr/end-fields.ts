import { isJoiningLeg, originOfLeg } from '../channels/leg.ts'
import type { Leg } from './cdr.ts'

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

/** Returns which leg of its call ended. See {@link Leg}. */
export function legOf(fields: EndFields): Leg {
  return isJoiningLeg((name) => reported(fields, name)) ? 'b' : 'a'
}

/** Returns the uuid of the leg that a leg `b` was created for, in lower case; a leg `a` has none. */
export function parentOf(fields: EndFields): string | undefined {
  return originOfLeg((name) => reported(fields, name))
}
