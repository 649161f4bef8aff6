import { type Engine, maxChannels } from './engine.ts'
import type { PhoneBehaviour } from '../phones/phones.ts'
import type { Registration } from '../phones/registration.ts'
import { type CallerProfile, newTimes } from './caller-profile.ts'
import { enterCallState, enterState, fireChannel, fireCodec, firePresence } from './channel-events.ts'
import { Channel } from './channel.ts'
import { addChannel, endChannel, hangUp, microsNow, waitOn } from './flow.ts'
import { q850Of } from './hangup-cause.ts'
import {
  answeredVariables,
  autoAnswerVariables,
  createdVariables,
  mediaPorts,
  refusedVariables,
  ringingVariables,
} from './sofia-variables.ts'

/** A leg that is being set up. */
export interface DialledLeg {
  readonly channel: Channel
  /** Resolves with whether it was answered; when not, the channel holds the cause. */
  readonly answered: Promise<boolean>
}

/** How a new leg is to be made, whatever its kind. */
export interface LegRequest {
  /** The uuid that was asked for; another is taken when it is in use (`control/originate-uuid-in-use`). */
  readonly uuid?: string | undefined
  readonly callerIdName?: string | undefined
  readonly callerIdNumber?: string | undefined
  readonly variables: Readonly<Record<string, string>>
  /** The leg that calls, when it is a bridge. */
  readonly originator?: Channel | undefined
}

/** Returns the uuid of a new channel. */
export function newUuid(engine: Engine, wanted: string | undefined): string {
  return wanted === undefined || wanted === '' || engine.channels.has(wanted) ? engine.random.uuid() : wanted
}

/**
 * Calls a registered phone, which behaves as `behaviour` says, by default as usual. Fires the channel's first events
 * before it returns.
 */
export function ringPhone(
  engine: Engine,
  contact: Registration,
  request: LegRequest,
  behaviour = engine.phones.behaviourOf(contact),
): DialledLeg | { cause: string } {
  if (engine.channels.size >= maxChannels) return { cause: 'SWITCH_CONGESTION' }
  const channel = newPhoneChannel(engine, contact, request)
  const sessionId = addChannel(engine, channel)
  const ports = mediaPorts(engine.random)
  const { originator } = request
  fireChannel(engine, channel, 'CHANNEL_OUTGOING')
  channel.presenceId = `${contact.login}@${contact.domain}`
  if (originator !== undefined) channel.callUuid = originator.uuid
  enterState(engine, channel, 'CS_INIT')
  createdVariables(channel, contact, { sessionId, originator, ports })
  channel.set(request.variables)
  if (channel.text('sip_auto_answer') === 'true') autoAnswerVariables(channel)
  channel.stateNumber = 2
  fireChannel(engine, channel, 'CHANNEL_CREATE')
  fireChannel(engine, channel, 'CHANNEL_ORIGINATE')
  enterState(engine, channel, 'CS_ROUTING')
  channel.stateNumber = 7
  firePresence(engine, channel, 'progressing', 'CS_ROUTING')
  enterState(engine, channel, 'CS_CONSUME_MEDIA')
  const onAnswer = () => answer(engine, channel, contact, ports)
  return { channel, answered: followPhone(engine, channel, contact, { behaviour, onAnswer }) }
}

function newPhoneChannel(engine: Engine, contact: Registration, request: LegRequest): Channel {
  const now = microsNow(engine)
  const uuid = newUuid(engine, request.uuid)
  const caller = request.originator?.profile
  const name = `sofia/${contact.profile}/${contact.login}@127.0.0.1:${contact.port}`
  const callerIdNumber = request.callerIdNumber ?? '0000000000'
  const profile: CallerProfile = {
    direction: 'outbound',
    logicalDirection: 'outbound',
    username: caller?.username,
    dialplan: caller?.dialplan,
    callerIdName: request.callerIdName,
    callerIdNumber,
    origCallerIdName: caller === undefined ? request.callerIdName : caller.origCallerIdName,
    origCallerIdNumber: caller?.origCallerIdNumber ?? callerIdNumber,
    calleeIdName: 'Outbound Call',
    calleeIdNumber: contact.login,
    networkAddress: caller?.networkAddress,
    ani: caller?.ani ?? callerIdNumber,
    destinationNumber: contact.login,
    uniqueId: uuid,
    source: caller?.source ?? 'src/switch_ivr_originate.c',
    context: caller?.context ?? 'default',
    rdnis: caller?.rdnis,
    channelName: name,
    index: 1,
    createdAt: now,
  }
  const channel = new Channel({ kind: 'sofia', profile, times: newTimes(now) })
  if (caller !== undefined) {
    channel.otherLeg = {
      type: 'originator',
      profile: { ...caller, logicalDirection: 'inbound', createdAt: 0 },
      times: newTimes(0),
    }
  }
  return channel
}

async function followPhone(
  engine: Engine,
  channel: Channel,
  contact: Registration,
  { behaviour, onAnswer }: { readonly behaviour: PhoneBehaviour; readonly onAnswer: () => void },
): Promise<boolean> {
  if (behaviour.kind === 'refuse') {
    const q850 = `${q850Of(behaviour.cause)}`
    refusedVariables(channel, contact, { ...behaviour, q850 }, engine.random)
    hangUp(engine, channel, behaviour.cause)
  } else {
    ring(engine, channel, contact)
    if (await waitOn(engine, channel, ringingMs(channel, behaviour))) onAnswer()
  }
  if (channel.up) return true
  if (channel.text('sip_hangup_disposition') === '') channel.set({ sip_hangup_disposition: 'send_cancel' })
  endChannel(engine, channel)
  return false
}

/** A phone with automatic answer answers at once. */
function ringingMs(channel: Channel, behaviour: PhoneBehaviour): number | undefined {
  if (behaviour.kind !== 'answer') return undefined
  return channel.text('sip_auto_answer') === 'true' ? 0 : behaviour.afterMs
}

function ring(engine: Engine, channel: Channel, contact: Registration): void {
  ringingVariables(channel, contact, engine.random)
  channel.profile = { ...channel.profile, networkAddress: '127.0.0.1' }
  channel.times.progress = microsNow(engine)
  fireChannel(engine, channel, 'CHANNEL_PROGRESS')
  enterCallState(engine, channel, 'RINGING')
}

function answer(
  engine: Engine,
  channel: Channel,
  contact: Registration,
  ports: { readonly local: number; readonly remote: number },
): void {
  fireCodec(engine, channel, { name: 'PCMU', bitRate: '64000' })
  answeredVariables(channel, contact, { random: engine.random, ports })
  channel.answerState = 'answered'
  channel.times.answered = microsNow(engine)
  fireChannel(engine, channel, 'CHANNEL_ANSWER')
  firePresence(engine, channel, 'active', 'answered')
  enterCallState(engine, channel, 'ACTIVE')
}
