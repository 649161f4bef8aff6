import { callIdOf } from './call-id.ts'
import type { ReadField } from './leg-domain.ts'

const loopbackSource = 'mod_loopback'

/** The engine's name of the second half of a loopback pair (recorded: `loopback/9198-b`). */
const secondHalfName = /^loopback\/.*-b$/

/**
 * Returns whether a leg was created to be joined to another one, or is the second half of a loopback pair.
 * A leg that came in from outside never was, whatever its variables and its other leg say: a phone can choose its
 * channel's name (`X-FS-Channel-Name`) and replace another channel (`Replaces`). Nor was a leg that the service placed.
 */
export function isJoiningLeg(read: ReadField): boolean {
  if (isSecondHalf(read)) return true
  if (read('Call-Direction') === 'inbound' || isPlacedByService(read)) return false
  return read('Other-Type') === 'originator' || read('variable_originating_leg_uuid') !== undefined
}

/** Returns the id of the leg that a leg was created for; `undefined` for all other legs. */
export function originOfLeg(read: ReadField): string | undefined {
  if (!isJoiningLeg(read)) return undefined
  const origin = read('variable_originating_leg_uuid') ?? read('Other-Leg-Unique-ID')
  return origin === undefined ? undefined : callIdOf(origin)
}

/**
 * Returns whether the service placed the leg. Only its `originate` commands give a leg of the engine both of these
 * variables, and no client may set either.
 */
function isPlacedByService(read: ReadField): boolean {
  return read('variable_domain_name') !== undefined && read('variable_origination_uuid') !== undefined
}

/** The engine itself writes the source; a channel's name counts only if there is no source. */
function isSecondHalf(read: ReadField): boolean {
  const source = read('Caller-Source')
  if (source !== undefined && source !== loopbackSource) return false
  const half = read('variable_loopback_leg')
  return half === 'B' || (half === undefined && secondHalfName.test(read('Channel-Name') ?? ''))
}
