import type { Engine } from './engine.ts'
import type { Header } from '../events/engine-event.ts'
import { enterCallState, enterState, fireCallUpdate, fireChannel } from './channel-events.ts'
import type { Channel } from './channel.ts'
import { dial } from './dial.ts'
import { endChannel, hangUp, microsNow, waitOn } from './flow.ts'
import { stopMusic } from './hold.ts'
import { answerLoopback } from './loopback-leg.ts'
import { answerCaller } from './phone-call.ts'

/** Calls another party and connects the two until either hangs up. */
export async function bridge(engine: Engine, a: Channel, data: string): Promise<void> {
  const waiting = a.answerState === 'answered'
  if (waiting) enterCallState(engine, a, 'RING_WAIT')
  const result = await dial(engine, data, {
    variables: exportedVariables(a),
    originator: a,
    callerIdName: a.text('effective_caller_id_name') || a.profile.callerIdName,
    callerIdNumber: a.text('effective_caller_id_number') || a.profile.callerIdNumber,
    timeoutMs: Number(a.text('call_timeout') || '60') * 1000,
  })
  if ('cause' in result) return fail(engine, a, result.cause, waiting)
  if (!a.up) {
    hangUp(engine, result.channel, 'ORIGINATOR_CANCEL')
    return endChannel(engine, result.channel)
  }
  connect(engine, a, result.channel, waiting)
  await talk(engine, a, result.channel)
}

function fail(engine: Engine, a: Channel, cause: string, waiting: boolean): void {
  if (!a.up) return
  a.set({ originate_disposition: cause, DIALSTATUS: dialStatus(cause), originate_failed_cause: cause })
  if (waiting) enterCallState(engine, a, 'ACTIVE')
  if (a.text('continue_on_fail') !== 'true') hangUp(engine, a, cause)
}

/** Variables that `export` gives to called legs; `nolocal:` marks those that the calling leg does not have. */
function exportedVariables(a: Channel): Record<string, string> {
  const names = a.text('export_vars').split(',')
  return Object.fromEntries(names.map((name) => [name.replace(/^nolocal:/, ''), a.text(name)]))
}

function connect(engine: Engine, a: Channel, b: Channel, waiting: boolean): void {
  const now = microsNow(engine)
  const leg = `${b.uuid};Outbound Call;${b.profile.destinationNumber}`
  a.profile = { ...a.profile, calleeIdName: b.profile.calleeIdName, calleeIdNumber: b.profile.calleeIdNumber }
  a.otherLeg = { type: 'originatee', profile: { ...b.profile, logicalDirection: 'inbound' }, times: { ...b.times } }
  if (waiting) enterCallState(engine, a, 'ACTIVE')
  else if (a.kind === 'sofia') answerCaller(engine, a)
  else answerLoopback(engine, a)
  if (b.otherLeg !== undefined) b.otherLeg = { ...b.otherLeg, profile: { ...b.otherLeg.profile, ...calleeOf(a) } }
  fireChannel(engine, b, 'CHANNEL_OUTGOING')
  a.times.bridged = now
  b.times.bridged = now
  a.set({
    originated_legs: [leg, leg],
    switch_m_sdp: b.text('switch_r_sdp'),
    video_media_flow: 'inactive',
    text_media_flow: 'inactive',
    originate_causes: [`${b.uuid};NONE`, `${b.uuid};NONE`],
    originate_disposition: 'SUCCESS',
    DIALSTATUS: 'SUCCESS',
    signal_bond: b.uuid,
  })
  fireChannel(engine, a, 'CHANNEL_BRIDGE', { before: pair(a, b) })
  enterState(engine, b, 'CS_EXCHANGE_MEDIA', 5)
  b.set({ endpoint_disposition: 'ANSWER', ...directoryVariables(engine, b), originate_endpoint: 'user' })
  tellNumbers(engine, b, a, { name: b.profile.callerIdName, number: b.profile.callerIdNumber })
  tellNumbers(engine, a, b, { name: a.profile.calleeIdName, number: a.profile.calleeIdNumber ?? '' })
}

function tellNumbers(
  engine: Engine,
  leg: Channel,
  other: Channel,
  shown: { readonly name: string | undefined; readonly number: string },
): void {
  const { name = '', number } = shown
  leg.set({ bridge_to: other.uuid, last_bridge_to: other.uuid, bridge_channel: other.name, bridge_uuid: other.uuid })
  leg.set({ last_sent_callee_id_name: name, last_sent_callee_id_number: number })
  const sent: Header[] = [
    ['Sent-Callee-ID-Name', name],
    ['Sent-Callee-ID-Number', number],
    ['Bridged-To', other.uuid],
  ]
  fireCallUpdate(engine, leg, 'SEND', sent)
}

async function talk(engine: Engine, a: Channel, b: Channel): Promise<void> {
  b.onInterrupt(() => a.interrupt())
  await waitOn(engine, a)
  stopMusic(engine, a)
  const cause = a.hangupCause ?? b.hangupCause ?? 'NORMAL_CLEARING'
  const endedByB = a.up && !b.up
  if (!endedByB) endOther(engine, b, cause)
  else a.set({ last_bridge_hangup_cause: cause })
  a.set({ bridge_hangup_cause: cause, bridge_to: '' })
  fireChannel(engine, a, 'CHANNEL_UNBRIDGE', { before: pair(a, b) })
  if (!endedByB) return
  endOther(engine, b, cause)
  if (a.text('hangup_after_bridge') === 'true') hangUp(engine, a, cause)
}

function endOther(engine: Engine, b: Channel, cause: string): void {
  if (b.up) b.set({ last_bridge_hangup_cause: cause, bridge_to: '' })
  b.set({ current_loop: '', total_loops: '' })
  hangUp(engine, b, cause)
  b.callUuid = b.uuid
  b.set({ bridge_hangup_cause: cause, call_uuid: b.uuid })
  endChannel(engine, b)
}

function directoryVariables(engine: Engine, leg: Channel): Record<string, string> {
  const contact = engine.phones.find(leg.text('dialed_user'), leg.text('dialed_domain'))
  return Object.fromEntries(contact?.user.variables ?? [])
}

function calleeOf(a: Channel): { calleeIdName: string | undefined; calleeIdNumber: string | undefined } {
  return { calleeIdName: a.profile.calleeIdName, calleeIdNumber: a.profile.calleeIdNumber }
}

function pair(a: Channel, b: Channel): Header[] {
  return [
    ['Bridge-A-Unique-ID', a.uuid],
    ['Bridge-B-Unique-ID', b.uuid],
  ]
}

function dialStatus(cause: string): string {
  const words: Record<string, string> = { USER_BUSY: 'BUSY', NO_ANSWER: 'NOANSWER', ORIGINATOR_CANCEL: 'CANCEL' }
  return words[cause] ?? cause
}
