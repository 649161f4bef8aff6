import type { Engine } from './engine.ts'
import { bridge } from './bridge.ts'
import { enterCallState, fireChannel } from './channel-events.ts'
import type { Channel } from './channel.ts'
import { eavesdrop } from './eavesdrop.ts'
import { hangUp, microsNow, waitOn, whenHungUp } from './flow.ts'
import { causeNamed } from './hangup-cause.ts'
import { count, placeOf } from './limit.ts'
import { answerLoopback } from './loopback-leg.ts'
import { openMailbox } from './mailbox.ts'
import { playAndGetDigits } from './menu.ts'
import { answerCaller } from './phone-call.ts'
import { playback } from './playback.ts'
import { startRecording } from './recording.ts'
import { transfer } from './transfer.ts'

/** The effect of a dialplan application on the channel that runs it. */
export type RunApplication = (engine: Engine, channel: Channel, data: string) => Promise<void> | void

/** The applications of the simulated engine. Any other ends the call. */
export const applications = new Map<string, RunApplication>([
  ['answer', answer],
  ['echo', async (engine, channel) => void (await waitOn(engine, channel))],
  [
    'sleep',
    async (engine, channel, data) => void (await waitOn(engine, channel, data === '' ? undefined : Number(data))),
  ],
  ['hangup', (engine, channel, data) => hangUp(engine, channel, causeNamed(data))],
  ['park', park],
  ['playback', playback],
  ['play_and_get_digits', playAndGetDigits],
  ['ring_ready', ringReady],
  ['set', setVariable],
  ['record_session', (engine, channel, data) => void startRecording(engine, channel, data)],
  ['stop_record_session', (_engine, channel) => channel.recording?.stop('success-maxtime')],
  ['bridge', bridge],
  ['eavesdrop', eavesdrop],
  ['transfer', (engine, channel, data) => transferTo(engine, channel, data)],
  ['export', exportVariable],
  ['unset', (_engine, channel, data) => channel.set({ [data]: '' })],
  ['push', pushValue],
  ['set_profile_var', setProfileVariable],
  ['pre_answer', () => {}],
  ['conference', stay],
  ['valet_park', stay],
  ['fifo', stay],
  ['voicemail', openMailbox],
  ['sched_hangup', scheduled((engine, channel, data) => hangUp(engine, channel, causeNamed(data)))],
  ['sched_transfer', scheduled(transferTo)],
  // Music of a parked call, which the simulated engine has not.
  ['sched_broadcast', () => {}],
  ['limit', limit],
])

function limit(engine: Engine, channel: Channel, data: string): void {
  const place = placeOf(engine, data)
  if (place.refusal === undefined) count(channel, place)
  else hangUp(engine, channel, causeNamed(place.refusal))
}

/** A phone that was called has answered already; a phone that calls and a loopback leg are answered here. */
function answer(engine: Engine, channel: Channel): void {
  if (channel.answerState === 'ringing') {
    if (channel.kind === 'sofia') answerCaller(engine, channel)
    else answerLoopback(engine, channel)
  }
  channel.set({ endpoint_disposition: 'ANSWER' })
}

async function park(engine: Engine, channel: Channel): Promise<void> {
  fireChannel(engine, channel, 'CHANNEL_PARK')
  await waitOn(engine, channel)
  fireChannel(engine, channel, 'CHANNEL_UNPARK')
}

function ringReady(engine: Engine, channel: Channel): void {
  const caller = engine.channels.get(channel.text('other_loopback_leg_uuid'))
  for (const leg of [caller, channel]) {
    if (leg === undefined || leg.answerState !== 'ringing') continue
    leg.times.progress = microsNow(engine)
    fireChannel(engine, leg, 'CHANNEL_PROGRESS')
    if (leg.callState === 'DOWN') enterCallState(engine, leg, 'RINGING')
  }
}

function setVariable(_engine: Engine, channel: Channel, data: string): void {
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(data) ?? []
  channel.set({ [name]: value })
  if (name === 'presence_id') channel.presenceId = value === '' ? undefined : value
}

/** `transfer <number> XML <context>`. */
function transferTo(engine: Engine, channel: Channel, data: string): void {
  const [extension = '', , context] = data.split(' ')
  transfer(engine, channel, { extension, context: context ?? channel.profile.context })
}

/** Sets a variable that the called legs get as well: see `exportedVariables` of a bridge. */
function exportVariable(engine: Engine, channel: Channel, data: string): void {
  const name = data.split('=')[0] ?? ''
  const before = channel.text('export_vars')
  setVariable(engine, channel, data)
  channel.set({ export_vars: before === '' ? name : `${before},${name}` })
}

function pushValue(_engine: Engine, channel: Channel, data: string): void {
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(data) ?? []
  const before = channel.variables.get(name)
  channel.set({ [name]: before === undefined ? value : [before, value].flat() })
}

function setProfileVariable(_engine: Engine, channel: Channel, data: string): void {
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(data) ?? []
  if (name === 'caller_id_name') channel.profile = { ...channel.profile, callerIdName: value }
  if (name === 'caller_id_number') channel.profile = { ...channel.profile, callerIdNumber: value }
}

/** A conference, a parking lot or a queue: the call is answered and stays, alone. */
async function stay(engine: Engine, channel: Channel): Promise<void> {
  answer(engine, channel)
  await waitOn(engine, channel)
}

/** `+<seconds> <data>`: does something to the call later, unless it has ended by then. The call goes on meanwhile. */
function scheduled(run: (engine: Engine, channel: Channel, data: string) => void): RunApplication {
  return (engine, channel, data) => {
    const [, seconds = '0', rest = ''] = /^\+(\d+) (.*)$/s.exec(data) ?? []
    const cancel = engine.timers.after(Number(seconds) * 1_000, () => run(engine, channel, rest))
    whenHungUp(channel, cancel)
  }
}
