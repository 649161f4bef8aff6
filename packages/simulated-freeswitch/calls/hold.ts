import type { Engine } from './engine.ts'
import type { Header } from '../events/engine-event.ts'
import { enterCallState, fireChannel } from './channel-events.ts'
import type { Channel } from './channel.ts'
import { liveChannel, microsNow } from './flow.ts'
import { startPlayback, stopPlayback } from './playback.ts'

const music = 'tone_stream://%(500,500,350);loops=-1'

/** Puts a leg on hold; returns `false` if it is already. A loopback leg agrees and ignores it. */
export function hold(engine: Engine, channel: Channel): boolean {
  if (channel.held) return false
  if (channel.kind === 'loopback') return true
  channel.held = true
  enterCallState(engine, channel, 'HELD')
  channel.times.lastHold = microsNow(engine)
  fireChannel(engine, channel, 'CHANNEL_HOLD')
  startMusic(engine, channel)
  return true
}

/** Takes a leg back from hold; `false` when it is not on hold. */
export function unhold(engine: Engine, channel: Channel): boolean {
  if (!channel.held) return false
  enterCallState(engine, channel, 'UNHELD')
  stopMusic(engine, channel)
  channel.held = false
  const now = microsNow(engine)
  channel.holds.unshift([channel.times.lastHold, now])
  channel.times.holdAccumulated += now - channel.times.lastHold
  enterCallState(engine, channel, 'ACTIVE')
  fireChannel(engine, channel, 'CHANNEL_UNHOLD')
  return true
}

function startMusic(engine: Engine, channel: Channel): void {
  const other = partnerOf(engine, channel)
  if (other === undefined) return
  const uuid = engine.random.uuid()
  other.application = { name: 'playback', data: music }
  other.set({ current_application_response: '', current_loop: '1', total_loops: '-1' })
  other.set({ current_application: 'playback', current_application_data: music })
  fireChannel(engine, other, 'CHANNEL_EXECUTE', { after: applicationHeaders(uuid) })
  startPlayback(engine, other, music)
  other.music = { uuid, since: engine.timers.now() }
}

/** Ends the music of a held leg's other party, if there is any. */
export function stopMusic(engine: Engine, channel: Channel): void {
  const other = partnerOf(engine, channel)
  if (other?.music === undefined) return
  const { uuid, since } = other.music
  other.music = undefined
  stopPlayback(engine, other, music, { status: 'break', ms: engine.timers.now() - since })
  other.set({ current_application_response: 'FILE PLAYED' })
  fireChannel(engine, other, 'CHANNEL_EXECUTE_COMPLETE', { after: applicationHeaders(uuid, 'FILE PLAYED') })
}

function partnerOf(engine: Engine, channel: Channel): Channel | undefined {
  return liveChannel(engine, channel.text('bridge_uuid'))
}

function applicationHeaders(uuid: string, response?: string): Header[] {
  return [
    ['Application', 'playback'],
    ['Application-Data', music],
    ...(response === undefined ? [] : [['Application-Response', response] as const]),
    ['Application-UUID', uuid],
  ]
}
