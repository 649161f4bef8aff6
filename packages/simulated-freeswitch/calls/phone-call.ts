import { type Engine, maxChannels } from './engine.ts'
import type { Registration } from '../phones/registration.ts'
import { type CallerProfile, newTimes } from './caller-profile.ts'
import { enterCallState, enterState, fireChannel, fireCodec, firePresence } from './channel-events.ts'
import { Channel } from './channel.ts'
import { addChannel, microsNow } from './flow.ts'
import { placedVariables } from './sofia-variables.ts'

/** A call that a phone places. All byte text. */
export interface PhoneCall {
  readonly to: string
  /** The text of the phone's From header, independent of its user; by default the user's `<login>@<domain>`. */
  readonly from?: string | undefined
  /** Other headers of its INVITE. The engine takes over those that begin with `X-` or `P-`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Lets a registered phone place a call; returns its uuid, or nothing when the engine has no room. */
export function callFromPhone(engine: Engine, contact: Registration, call: PhoneCall): string | undefined {
  if (engine.channels.size >= maxChannels) return undefined
  const { from = `${contact.login}@${contact.domain}`, headers = {} } = call
  const channel = newCallerChannel(engine, contact, { to: call.to, from, name: headers['X-FS-Channel-Name'] })
  const sessionId = addChannel(engine, channel)
  channel.stateNumber = 0
  channel.hasProfile = false
  enterState(engine, channel, 'CS_NEW')
  channel.hasProfile = true
  fireCodec(engine, channel, { name: 'PCMU', bitRate: '64000' })
  // Only a profile that manages presence has one, and it is the From header.
  if (engine.managesPresence) channel.presenceId = from
  enterState(engine, channel, 'CS_INIT', 1)
  placedVariables(channel, contact, { sessionId, from, to: call.to, random: engine.random })
  channel.set(importedHeaders(headers))
  channel.stateNumber = 2
  fireChannel(engine, channel, 'CHANNEL_CREATE')
  channel.running = 'CS_ROUTING'
  enterCallState(engine, channel, 'RINGING')
  void engine.runExtension(channel, { extension: call.to, context: contact.domain })
  return channel.uuid
}

/** Answers a leg that a phone placed, as the dial plan orders or because the called party has answered. */
export function answerCaller(engine: Engine, channel: Channel): void {
  channel.answerState = 'answered'
  channel.times.answered = microsNow(engine)
  fireChannel(engine, channel, 'CHANNEL_ANSWER')
  firePresence(engine, channel, 'active', 'answered')
  enterCallState(engine, channel, 'ACTIVE')
}

/** A phone may give its channel a name (`X-FS-Channel-Name`). */
function newCallerChannel(
  engine: Engine,
  contact: Registration,
  call: { readonly to: string; readonly from: string; readonly name: string | undefined },
): Channel {
  const now = microsNow(engine)
  const [user = ''] = call.from.split('@')
  const profile: CallerProfile = {
    direction: 'inbound',
    logicalDirection: 'inbound',
    username: user,
    dialplan: 'XML',
    callerIdName: contact.displayName,
    callerIdNumber: user,
    origCallerIdName: contact.displayName,
    origCallerIdNumber: user,
    networkAddress: '127.0.0.1',
    ani: user,
    destinationNumber: call.to,
    uniqueId: engine.random.uuid(),
    source: 'mod_sofia',
    context: contact.domain,
    channelName: call.name ?? `sofia/internal/${call.from}`,
    index: 1,
    createdAt: now,
  }
  return new Channel({ kind: 'sofia', profile, times: newTimes(now) })
}

/** The engine gives such a header a prefix, so that no phone can set a variable that means something. */
function importedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const taken = Object.entries(headers).filter(([name]) => /^[XP]-/i.test(name) && !/^X-FS-/i.test(name))
  return Object.fromEntries(taken.map(([name, value]) => [`sip_h_${name}`, value]))
}
