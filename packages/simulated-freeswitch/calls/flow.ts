import type { Engine } from './engine.ts'
import { micros } from '../events/event-bus.ts'
import { setCallRecord } from './call-record.ts'
import { enterCallState, enterState, fireChannel, firePresence } from './channel-events.ts'
import type { Channel } from './channel.ts'

/** Returns the time as channels keep it. */
export function microsNow(engine: Engine): number {
  return micros(engine.timers.now())
}

/** Returns a channel that commands may still act on. */
export function liveChannel(engine: Engine, uuid: string): Channel | undefined {
  const channel = engine.channels.get(uuid)
  return channel?.up === true ? channel : undefined
}

/** Waits `ms`, or for ever without it. Resolves with `false` as soon as the channel is interrupted. */
export function waitOn(engine: Engine, channel: Channel, ms?: number): Promise<boolean> {
  if (!channel.up) return Promise.resolve(false)
  return new Promise((resolve) => {
    const cancel = ms === undefined ? () => undefined : engine.timers.after(ms, () => finish(true))
    const release = channel.onInterrupt(() => finish(false))
    const finish = (elapsed: boolean) => {
      cancel()
      release()
      resolve(elapsed)
    }
  })
}

/** Hangs a channel up and fires the event at once; the code that drives it then ends it with {@link endChannel}. */
export function hangUp(engine: Engine, channel: Channel, cause: string): void {
  if (!channel.up) return
  if (channel.text('bridge_to') !== '') channel.set({ last_bridge_role: bridgeRole(channel) })
  channel.hangupCause = cause
  channel.stateNumber = 10
  channel.answerState = 'hangup'
  fireChannel(engine, channel, 'CHANNEL_HANGUP')
  channel.interrupt()
}

function bridgeRole(channel: Channel): string {
  return channel.otherLeg?.type === 'originatee' ? 'originator' : 'originatee'
}

/** Fires the last events of a channel that was hung up, in the engine's order, and removes the channel. */
export function endChannel(engine: Engine, channel: Channel): void {
  enterState(engine, channel, 'CS_HANGUP')
  channel.times.hangup = microsNow(engine)
  channel.recording?.stop('success-silence')
  enterCallState(engine, channel, 'HANGUP')
  channel.stateNumber = 11
  firePresence(engine, channel, 'idle', 'CS_HANGUP')
  enterState(engine, channel, 'CS_REPORTING')
  setCallRecord(channel)
  fireChannel(engine, channel, 'CHANNEL_HANGUP_COMPLETE', { before: [['Hangup-Cause', channel.hangupCause ?? '']] })
  channel.stateNumber = 12
  fireChannel(engine, channel, 'CHANNEL_DESTROY')
  enterState(engine, channel, 'CS_DESTROY')
  engine.channels.delete(channel.uuid)
  engine.channelTable.changed()
}

/** Calls `run` once when a channel is hung up. A transfer, which interrupts a channel too, does not count. */
export function whenHungUp(channel: Channel, run: () => void): void {
  channel.onInterrupt(() => (channel.up ? whenHungUp(channel, run) : run()))
}

/** Adds a channel to those of the engine. The caller has checked that there is room. */
export function addChannel(engine: Engine, channel: Channel): number {
  engine.channels.set(channel.uuid, channel)
  engine.sessions.sinceStartup++
  engine.sessions.peak = Math.max(engine.sessions.peak, engine.channels.size)
  return engine.sessions.sinceStartup
}
