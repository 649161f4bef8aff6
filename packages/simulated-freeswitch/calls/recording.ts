import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, extname, resolve, sep } from 'node:path'
import { fromByteText } from '../runtime/byte-text.ts'
import type { Engine } from './engine.ts'
import type { Header } from '../events/engine-event.ts'
import { fireChannel } from './channel-events.ts'
import type { Channel } from './channel.ts'
import { toneFile, wavHeader } from './wav.ts'

/** A recording is cut at ten minutes, so that a forgotten call fills no disk. */
const maxMs = 600_000

/**
 * Begins to record a channel into a WAV file; `false` when that cannot be. As with the engine, the file holds only its
 * head until the recording stops (`media/recording-in-progress.wav`). Only files below the recordings folder are
 * written, whatever a command asks for.
 */
export function startRecording(engine: Engine, channel: Channel, path: string): boolean {
  const file = resolve(engine.recordingsDir, fromByteText(path))
  const inside = file.startsWith(resolve(engine.recordingsDir) + sep)
  if (!inside || extname(file) !== '.wav' || !writeFile(file, wavHeader(0))) return false
  const since = engine.timers.now()
  channel.recording = {
    path,
    stop: (cause) => {
      channel.recording = undefined
      const ms = Math.min(engine.timers.now() - since, maxMs)
      const content = toneFile(ms * 8)
      writeFile(file, content)
      tellStop(engine, channel, path, { cause, ms, bytes: content.length })
    },
  }
  channel.set({ RECORD_TITLE: '' })
  fireChannel(engine, channel, 'RECORD_START', { after: [['Record-File-Path', path]] })
  fireChannel(engine, channel, 'MEDIA_BUG_START', { before: mediaBug(path) })
  return true
}

function tellStop(
  engine: Engine,
  channel: Channel,
  path: string,
  end: { readonly cause: string; readonly ms: number; readonly bytes: number },
): void {
  channel.set({
    record_file_size: `${end.bytes}`,
    record_samples: `${end.ms * 8}`,
    record_seconds: `${Math.trunc(end.ms / 1000)}`,
    record_ms: `${end.ms}`,
    record_completion_cause: end.cause,
  })
  const after: Header[] = [
    ['Record-File-Path', path],
    ['Record-Completion-Cause', end.cause],
  ]
  fireChannel(engine, channel, 'RECORD_STOP', { after })
  fireChannel(engine, channel, 'MEDIA_BUG_STOP', { before: mediaBug(path) })
}

function mediaBug(path: string): Header[] {
  return [
    ['Media-Bug-Function', 'session_record'],
    ['Media-Bug-Target', path],
  ]
}

function writeFile(file: string, content: Buffer): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    return true
  } catch {
    return false
  }
}
