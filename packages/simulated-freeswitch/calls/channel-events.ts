import type { Engine } from './engine.ts'
import type { CallingPlace, Header } from '../events/engine-event.ts'
import { type CallState, type Channel, type ChannelState, type Codec, callStates } from './channel.ts'

const origins = {
  CHANNEL_OUTGOING: [['switch_core_session.c', 'switch_core_session_outgoing_channel', 768], false],
  CHANNEL_STATE: [['switch_channel.c', 'switch_channel_perform_set_running_state', 2409], false],
  CHANNEL_CALLSTATE: [['switch_channel.c', 'switch_channel_perform_set_callstate', 302], false],
  PRESENCE_IN: [['switch_channel.c', 'switch_channel_perform_presence', 806], false],
  CHANNEL_CREATE: [['switch_core_state_machine.c', 'switch_core_session_run', 626], true],
  CHANNEL_ORIGINATE: [['switch_core_state_machine.c', 'switch_core_session_run', 632], true],
  CHANNEL_PROGRESS: [['switch_channel.c', 'switch_channel_perform_mark_ring_ready_value', 3507], true],
  CHANNEL_ANSWER: [['switch_channel.c', 'switch_channel_perform_mark_answered', 3848], true],
  CHANNEL_EXECUTE: [['switch_core_session.c', 'switch_core_session_exec', 2949], true],
  CHANNEL_EXECUTE_COMPLETE: [['switch_core_session.c', 'switch_core_session_exec', 2972], true],
  CHANNEL_BRIDGE: [['switch_ivr_bridge.c', 'switch_ivr_multi_threaded_bridge', 1689], true],
  CHANNEL_UNBRIDGE: [['switch_ivr_bridge.c', 'switch_ivr_multi_threaded_bridge', 1879], true],
  CHANNEL_HOLD: [['switch_ivr.c', 'switch_ivr_hold', 1558], true],
  CHANNEL_UNHOLD: [['switch_ivr.c', 'switch_ivr_unhold', 1638], true],
  CHANNEL_PARK: [['switch_ivr.c', 'switch_ivr_park', 1002], true],
  CHANNEL_UNPARK: [['switch_ivr.c', 'switch_ivr_park', 1213], true],
  CHANNEL_HANGUP: [['switch_channel.c', 'switch_channel_perform_hangup', 3447], true],
  CHANNEL_HANGUP_COMPLETE: [['switch_core_state_machine.c', 'switch_core_session_reporting_state', 943], true],
  CHANNEL_DESTROY: [['switch_core_session.c', 'switch_core_session_perform_destroy', 1588], true],
  PLAYBACK_START: [['switch_ivr_play_say.c', 'switch_ivr_play_file', 1649], true],
  PLAYBACK_STOP: [['switch_ivr_play_say.c', 'switch_ivr_play_file', 2023], true],
  DTMF: [['switch_channel.c', 'switch_channel_dequeue_dtmf', 678], false],
  RECORD_START: [['switch_ivr_async.c', 'record_callback', 1482], true],
  RECORD_STOP: [['switch_ivr_async.c', 'send_record_stop_event', 1241], true],
  MEDIA_BUG_START: [['switch_core_media_bug.c', 'switch_core_media_bug_add', 1014], true],
  MEDIA_BUG_STOP: [['switch_core_media_bug.c', 'switch_core_media_bug_destroy', 84], true],
} as const satisfies Record<string, readonly [CallingPlace, boolean]>

/** Headers of an event in addition to those of its channel, and their position. */
export interface OwnHeaders {
  readonly before?: readonly Header[]
  readonly after?: readonly Header[]
}

/** Fires an event of a channel as it is at this moment. */
export function fireChannel(engine: Engine, channel: Channel, name: keyof typeof origins, own: OwnHeaders = {}): void {
  const [place, withVariables] = origins[name]
  fireAt(engine, channel, { name, place, withVariables, own })
}

function fireAt(
  engine: Engine,
  channel: Channel,
  event: { name: string; place: CallingPlace; withVariables: boolean; own: OwnHeaders },
): void {
  engine.events.fire({
    name: event.name,
    place: event.place,
    headers: [
      ...(event.own.before ?? []),
      ...channel.headers(),
      ...(event.withVariables ? channel.variableHeaders() : []),
      ...(event.own.after ?? []),
    ],
  })
  engine.channelTable.changed()
}

/** Moves a channel to a state and fires the event. The caller, who knows the order, sets the state's number. */
export function enterState(engine: Engine, channel: Channel, state: ChannelState, stateNumber?: number): void {
  channel.running = state
  if (stateNumber !== undefined) channel.stateNumber = stateNumber
  fireChannel(engine, channel, 'CHANNEL_STATE')
}

/** Moves a channel to a call state and fires an event with both the new and the old one. */
export function enterCallState(engine: Engine, channel: Channel, state: CallState): void {
  const before: Header[] = [
    ['Original-Channel-Call-State', channel.callState],
    ['Channel-Call-State-Number', `${callStates[state]}`],
  ]
  channel.callState = state
  fireChannel(engine, channel, 'CHANNEL_CALLSTATE', { before })
}

/** Fires the presence of the user of this leg; a leg without a user has none. */
export function firePresence(
  engine: Engine,
  channel: Channel,
  info: 'progressing' | 'alerting' | 'active' | 'idle',
  status: string,
): void {
  if (channel.presenceId === undefined) return
  const place =
    status === 'answered'
      ? (['src/switch_channel.c', 'switch_channel_perform_mark_answered', '3906'] as const)
      : (['src/switch_core_state_machine.c', 'check_presence', '521'] as const)
  const after: Header[] = [
    ['proto', 'any'],
    ['login', 'src/switch_channel.c'],
    ['from', channel.presenceId],
    ['rpid', 'unknown'],
    ['status', status],
    ['event_type', 'presence'],
    ['alt_event_type', 'dialog'],
    ['presence-call-info-state', info],
    ['presence-call-direction', channel.profile.direction],
    ['event_count', `${channel.presenceEvents++}`],
    ['Presence-Calling-File', place[0]],
    ['Presence-Calling-Function', place[1]],
    ['Presence-Calling-Line', place[2]],
  ]
  fireChannel(engine, channel, 'PRESENCE_IN', { after })
}

/** Fires the events of the agreement on a phone's codec. */
export function fireCodec(engine: Engine, channel: Channel, codec: Codec): void {
  channel.readCodec = codec
  channel.writeCodec = codec
  codecEvent(engine, channel, ['switch_core_session_set_real_read_codec', 189], readHeaders(codec))
  codecEvent(engine, channel, ['switch_core_session_set_write_codec', 471], writeHeaders(codec))
}

/** Fires the events of the codec that a loopback leg begins with, one side after the other. */
export function fireOpeningCodec(engine: Engine, channel: Channel, codec: Codec): void {
  channel.readCodec = codec
  codecEvent(engine, channel, ['switch_core_session_set_read_codec', 300], readHeaders(codec))
  channel.writeCodec = codec
  codecEvent(engine, channel, ['switch_core_session_set_write_codec', 471], writeHeaders(codec))
}

function codecEvent(
  engine: Engine,
  channel: Channel,
  [functionName, line]: readonly [string, number],
  after: Header[],
): void {
  const place: CallingPlace = ['switch_core_codec.c', functionName, line]
  fireAt(engine, channel, { name: 'CODEC', place, withVariables: false, own: { after } })
}

function readHeaders(codec: Codec): Header[] {
  return [
    ['channel-read-codec-name', codec.name],
    ['channel-read-codec-rate', '8000'],
    ['channel-read-codec-bit-rate', codec.bitRate],
  ]
}

function writeHeaders(codec: Codec): Header[] {
  return [
    ['Channel-Write-Codec-Name', codec.name],
    ['Channel-Write-Codec-Rate', '8000'],
    ['Channel-Write-codec-bit-rate', codec.bitRate],
  ]
}

/** Fires a change of the numbers that a leg shows: its own direction of the change, and where the engine made it. */
export function fireCallUpdate(
  engine: Engine,
  channel: Channel,
  direction: 'RECV' | 'SEND',
  more: readonly Header[] = [],
): void {
  const place: CallingPlace =
    direction === 'RECV'
      ? ['switch_channel.c', 'switch_channel_flip_cid', 3279]
      : ['mod_sofia.c', 'sofia_receive_message', 2133]
  const before: Header[] = [['Direction', direction], ...more]
  fireAt(engine, channel, { name: 'CALL_UPDATE', place, withVariables: true, own: { before } })
}
