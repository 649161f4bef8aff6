import type { Engine } from './engine.ts'
import { bridge } from './bridge.ts'
import { enterCallState, fireChannel } from './channel-events.ts'
import type { Channel } from './channel.ts'
import { eavesdrop } from './eavesdrop.ts'
import { hangUp, microsNow, waitOn } from './flow.ts'
import { causeNamed } from './hangup-cause.ts'
import { answerLoopback } from './loopback-leg.ts'
import { answerCaller } from './phone-call.ts'
import { playback } from './playback.ts'
import { startRecording } from './recording.ts'

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
  ['ring_ready', ringReady],
  ['set', setVariable],
  ['record_session', (engine, channel, data) => void startRecording(engine, channel, data)],
  ['stop_record_session', (_engine, channel) => channel.recording?.stop('success-maxtime')],
  ['bridge', bridge],
  ['eavesdrop', eavesdrop],
])

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
}
