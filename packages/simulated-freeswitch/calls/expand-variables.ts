import type { Engine } from './engine.ts'
import type { Channel } from './channel.ts'

/**
 * Replaces `${name}` in the data of an application, as the engine does when it executes it: by a variable of the
 * channel, by what its caller profile says, or by a global variable. A name without a value gives nothing. Values are
 * not looked at again.
 */
export function expandVariables({ globals }: Engine, channel: Channel, data: string): string {
  if (!data.includes('${')) return data
  const { profile } = channel
  const ofProfile = new Map([
    ['uuid', channel.uuid],
    ['destination_number', profile.destinationNumber],
    ['caller_id_number', profile.callerIdNumber],
    ['caller_id_name', profile.callerIdName],
    ['context', profile.context],
  ])
  return data.replaceAll(
    /\$\{([^{}]*)\}/g,
    (_lookup, name: string) => channel.text(name) || ofProfile.get(name) || globals.get(name) || '',
  )
}
