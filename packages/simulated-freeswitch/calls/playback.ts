import type { Engine } from './engine.ts'
import { fireChannel } from './channel-events.ts'
import type { Channel } from './channel.ts'
import { waitOn } from './flow.ts'

/** Plays a sound of the dialplan, or a tone for its own length, until it ends or the call leaves the application. */
export async function playback(engine: Engine, channel: Channel, data: string): Promise<void> {
  const ms = lengthOf(data)
  const started = engine.timers.now()
  startPlayback(engine, channel, data)
  const done = await waitOn(engine, channel, ms)
  const played = engine.timers.now() - started
  channel.set({ current_application_response: channel.up ? 'FILE PLAYED' : 'PLAYBACK ERROR' })
  stopPlayback(engine, channel, data, { status: done ? 'done' : 'break', ms: played })
}

/** Fires the event that a file or tone begins to play on a channel. */
export function startPlayback(engine: Engine, channel: Channel, path: string): void {
  fireChannel(engine, channel, 'PLAYBACK_START', { after: playbackHeaders(path) })
}

/** Fires the event that it ended, with its length. */
export function stopPlayback(
  engine: Engine,
  channel: Channel,
  path: string,
  end: { readonly status: 'done' | 'break'; readonly ms: number },
): void {
  channel.set({
    playback_last_offset_pos: `${end.ms * 8}`,
    playback_seconds: `${Math.trunc(end.ms / 1000)}`,
    playback_ms: `${end.ms}`,
    playback_samples: `${end.ms * 8}`,
  })
  fireChannel(engine, channel, 'PLAYBACK_STOP', { after: [...playbackHeaders(path), ['Playback-Status', end.status]] })
}

function playbackHeaders(path: string): [string, string][] {
  return [
    ['Playback-File-Type', path.startsWith('tone_stream://') ? 'tone_stream' : 'file'],
    ['Playback-File-Path', path],
  ]
}

/** How long every sound that is a file plays: the simulated engine has none. */
const soundMs = 1_000

/**
 * Returns the length of a sound in milliseconds, or of the tones of `tone_stream://%(on,off,frequency);loops=2`;
 * nothing for one that loops for ever.
 */
export function lengthOf(path: string): number | undefined {
  if (!path.startsWith('tone_stream://')) return soundMs
  const loops = Number(/;loops=(-?\d+)/.exec(path)?.[1] ?? 1)
  const onceMs = [...path.matchAll(/%\((\d+),(\d+),/g)].reduce((sum, [, on, off]) => sum + Number(on) + Number(off), 0)
  return loops < 0 ? undefined : loops * onceMs
}
