import { type Engine, type Extension, maxChannels } from './engine.ts'
import { type CallerProfile, newTimes } from './caller-profile.ts'
import { enterCallState, enterState, fireChannel, fireOpeningCodec } from './channel-events.ts'
import { Channel } from './channel.ts'
import { addChannel, endChannel, hangUp, microsNow } from './flow.ts'
import { type DialledLeg, type LegRequest, newUuid } from './phone-leg.ts'

const linear = { name: 'L16', bitRate: '128000' }

/**
 * Calls an extension of the dialplan through a pair of channels: `-a`, which the caller gets, and `-b`, which runs the
 * dialplan (`events/loopback-call`). Each hangs up with the other.
 */
export function callLoopback(engine: Engine, target: Extension, request: LegRequest): DialledLeg | { cause: string } {
  if (engine.channels.size + 2 > maxChannels) return { cause: 'SWITCH_CONGESTION' }
  const a = newLoopbackChannel(engine, target, request, 'a')
  const b = newLoopbackChannel(engine, target, request, 'b')
  const answered = untilAnswered(engine, a)
  startA(engine, a, b, request)
  startB(engine, b, a)
  a.onInterrupt(() => hangUpWith(engine, b, a))
  b.onInterrupt(() => hangUpWith(engine, a, b))
  void engine.runExtension(b, target)
  return { channel: a, answered }
}

/** Called by the `-b` leg when it is answered: the other half is answered first. */
export function answerLoopback(engine: Engine, b: Channel): void {
  const a = engine.channels.get(b.text('other_loopback_leg_uuid'))
  for (const leg of [a, b]) {
    if (leg === undefined || !leg.up) continue
    leg.answerState = 'answered'
    leg.times.answered = microsNow(engine)
    fireChannel(engine, leg, 'CHANNEL_ANSWER')
    enterCallState(engine, leg, 'ACTIVE')
  }
  a?.interrupt()
}

function startA(engine: Engine, a: Channel, b: Channel, request: LegRequest): void {
  const sessionId = addChannel(engine, a)
  openCodecs(engine, a)
  a.stateNumber = 1
  fireChannel(engine, a, 'CHANNEL_OUTGOING')
  enterState(engine, a, 'CS_INIT')
  a.set({ direction: 'outbound', is_outbound: 'true', uuid: a.uuid, call_uuid: a.uuid, session_id: `${sessionId}` })
  a.set({ ...codecVariables, channel_name: a.name, ...request.variables })
  a.set({ originate_early_media: 'true', originate_endpoint: 'loopback' })
  a.set({ other_loopback_leg_uuid: b.uuid, loopback_leg: 'A' })
  a.stateNumber = 2
  fireChannel(engine, a, 'CHANNEL_CREATE')
  fireChannel(engine, a, 'CHANNEL_ORIGINATE')
  enterState(engine, a, 'CS_ROUTING')
  enterState(engine, a, 'CS_CONSUME_MEDIA', 7)
}

function startB(engine: Engine, b: Channel, a: Channel): void {
  const sessionId = addChannel(engine, b)
  openCodecs(engine, b)
  enterState(engine, b, 'CS_INIT', 1)
  b.set({ direction: 'inbound', uuid: b.uuid, call_uuid: b.uuid, session_id: `${sessionId}`, channel_name: b.name })
  b.set({ ...codecVariables, other_loopback_leg_uuid: a.uuid, loopback_leg: 'B' })
  b.stateNumber = 2
  fireChannel(engine, b, 'CHANNEL_CREATE')
  b.running = 'CS_ROUTING'
  enterCallState(engine, b, 'RINGING')
}

const codecVariables = { read_codec: 'L16', read_rate: '8000', write_codec: 'L16', write_rate: '8000' }

/** The codecs of a loopback leg are set before it has a profile, so that these events know little of it. */
function openCodecs(engine: Engine, leg: Channel): void {
  leg.stateNumber = 0
  leg.hasProfile = false
  fireOpeningCodec(engine, leg, linear)
  leg.hasProfile = true
}

function newLoopbackChannel(engine: Engine, target: Extension, request: LegRequest, side: 'a' | 'b'): Channel {
  const now = microsNow(engine)
  const callerIdNumber = request.callerIdNumber ?? '0000000000'
  const direction = side === 'a' ? 'outbound' : 'inbound'
  const profile: CallerProfile = {
    direction,
    logicalDirection: direction,
    dialplan: 'xml',
    callerIdName: request.callerIdName,
    callerIdNumber,
    origCallerIdName: request.callerIdName,
    origCallerIdNumber: callerIdNumber,
    calleeIdName: 'Outbound Call',
    calleeIdNumber: target.context,
    ani: callerIdNumber,
    destinationNumber: target.extension,
    uniqueId: newUuid(engine, side === 'a' ? request.uuid : undefined),
    source: 'mod_loopback',
    context: target.context,
    channelName: `loopback/${target.extension}-${side}`,
    index: 1,
    createdAt: now,
  }
  return new Channel({ kind: 'loopback', profile, times: newTimes(now) })
}

/** Resolves when the `-a` leg is answered or over; an unanswered one ends here, an answered one with its caller. */
async function untilAnswered(engine: Engine, a: Channel): Promise<boolean> {
  await new Promise<void>((resolve) => void a.onInterrupt(resolve))
  if (a.up) return true
  endChannel(engine, a)
  return false
}

function hangUpWith(engine: Engine, leg: Channel, other: Channel): void {
  if (other.hangupCause !== undefined) hangUp(engine, leg, other.hangupCause)
  else other.onInterrupt(() => hangUpWith(engine, leg, other))
}
