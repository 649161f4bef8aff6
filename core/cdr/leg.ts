import type { Leg } from './cdr.ts'
import { type EndFields, told } from './end-fields.ts'

/** What the engine calls the second half of a loopback pair (recorded: `loopback/9198-b`). */
const secondHalf = /^loopback\/.*-b$/

/** Which leg of its call ended. See {@link Leg}. */
export function legOf(fields: EndFields): Leg {
  const isJoined = told(fields, 'Other-Type') === 'originator' || originOf(fields) !== undefined
  const half = told(fields, 'variable_loopback_leg')
  const isSecondHalf = half === 'B' || (half === undefined && secondHalf.test(told(fields, 'Channel-Name') ?? ''))
  return isJoined || isSecondHalf ? 'b' : 'a'
}

/** The uuid of the leg that a leg was created for, in lower case; a leg `a` has none. */
export function parentOf(fields: EndFields, leg: Leg): string | undefined {
  const other = leg === 'b' ? told(fields, 'Other-Leg-Unique-ID') : undefined
  return (originOf(fields) ?? other)?.toLowerCase()
}

function originOf(fields: EndFields): string | undefined {
  return told(fields, 'variable_originating_leg_uuid')
}
