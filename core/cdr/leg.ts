import { isJoiningLeg, originOfLeg } from '../channels/leg-origin.ts'
import type { Leg } from './cdr.ts'
import { type EndFields, reported } from './end-fields.ts'

/** Returns which leg of its call ended. See {@link Leg}. */
export function legOf(fields: EndFields): Leg {
  return isJoiningLeg((name) => reported(fields, name)) ? 'b' : 'a'
}

/** Returns the uuid of the leg that a leg `b` was created for, in lower case; a leg `a` has none. */
export function parentOf(fields: EndFields): string | undefined {
  return originOfLeg((name) => reported(fields, name))
}
