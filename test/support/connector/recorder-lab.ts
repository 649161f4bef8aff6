import { randomUUID } from 'node:crypto'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type MemoryPorts, memoryPorts } from '../memory/memory-ports.ts'
import type { EngineEvent } from '../../../connector/runtime/engine.ts'
import type { RecordingsPlace } from '../../../connector/recordings/attend-recording.ts'
import { Recorder, type RecorderDeps } from '../../../connector/recordings/recorder.ts'
import type { Recording } from '../../../core/recordings/recording.ts'
import { type CapturedLog, capturedLog } from '../processes/captured-log.ts'
import { anEngineEvent } from '../engine/engine-event.ts'
import { type ManualTime, manualTime, settle } from '../processes/manual-time.ts'
import { type MemoryRecordingDisk, memoryRecordingDisk } from './memory-recording-disk.ts'
import { aDomain } from '../records/records.ts'

/** The tenant of the lab's calls, and what the engine calls the folder with its recordings. */
export const recordedDomain = 'a.example.com'
export const engineFolder = '/var/recordings'
export const recordingEngine = '192.0.2.1:8021'

/** The leg that is recorded. */
export const recordedLeg = { engine: recordingEngine, presenceId: `1000@${recordedDomain}` }

/** A folder of an engine's recordings, the stores, and as many connectors over them as a test wants. */
export interface RecorderLab {
  readonly time: ManualTime
  readonly ports: MemoryPorts
  /** The folder as the connector sees it; in memory, so that no test under virtual time waits for a real disk. */
  readonly disk: MemoryRecordingDisk
  readonly log: CapturedLog
  /** Calls that are up; of all others the end is taken for granted when an engine is asked. */
  readonly up: Set<string>
  /** A connector's recorder, at work until it is stopped or the lab is closed. */
  connector(given?: Partial<RecorderDeps>): Recorder
  /** Writes a file of the engine; a WAV file of 2 000 samples where nothing else is given. */
  write(path: string, bytes?: Buffer): void
  /** The paths of the files in the folder, notes left out. */
  files(): string[]
  /** The names of the notes. */
  notes(): string[]
  /** The domain's recordings, whatever their state. */
  recordings(): Promise<Recording[]>
  /** Lets time pass, 10 s at a time or as given, until something is so; fails when 500 times do not bring it about. */
  until(isSo: () => boolean | Promise<boolean>, stepMs?: number): Promise<void>
  close(): Promise<void>
}

/** Makes a lab on a new, empty disk. */
export async function recorderLab(): Promise<RecorderLab> {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  await ports.domains.create(aDomain({ name: recordedDomain, createdAt: time.clock.now() - 3_600_000 }))
  const disk = memoryRecordingDisk(time.clock)
  const log = capturedLog()
  const up = new Set<string>()
  const stopping = new AbortController()
  const following: Promise<void>[] = []
  const place: RecordingsPlace = { disk, engineFolder, keepsFiles: false }

  return {
    time,
    ports,
    disk,
    log,
    up,
    connector: (given = {}) => {
      const made = new Recorder({
        ...time,
        ports,
        place,
        connectorId: `connector-${following.length + 1}`,
        tell: async (event) => (await ports.events.publish([event])).length === 0,
        noteInCdr: async () => {},
        isUp: async (uuid) => up.has(uuid),
        random: () => 0,
        log,
        ...given,
      })
      following.push(made.follow(stopping.signal))
      return made
    },
    write: (path, bytes = aWavFile()) => disk.write(path, bytes),
    files: () => [...disk.files.keys()],
    notes: () => [...disk.notes.keys()],
    recordings: () => ports.recordings.page(recordedDomain, 1_000),
    until: async (isSo, stepMs = 10_000) => {
      for (let steps = 0; steps < 500; steps += 1) {
        if (await isSo()) return
        await settle()
        if (await isSo()) return
        await time.advance(stepMs)
      }
      throw new Error('it did not come about')
    },
    close: async () => {
      stopping.abort()
      await Promise.all(following)
    },
  }
}

/** A recorded call: its events as the engine sends them. */
export function aRecordedCall(time: ManualTime, given: { readonly uuid?: string; readonly path?: string } = {}) {
  const uuid = given.uuid ?? randomUUID()
  const path = given.path ?? `${uuid}.wav`
  const startedAt = time.clock.now()
  const event = (name: string, at: number, headers: Readonly<Record<string, string>> = {}): EngineEvent =>
    anEngineEvent({
      name,
      uuid,
      headers: {
        'Event-Date-Timestamp': `${at}000`,
        'Caller-Channel-Created-Time': `${startedAt - 2_000}000`,
        ...headers,
      },
    })
  const file = { 'Record-File-Path': `${engineFolder}/${path}` }
  return {
    uuid,
    path,
    startedAt,
    start: (at = startedAt) => event('RECORD_START', at, file),
    stop: (at = startedAt + 2_000) => event('RECORD_STOP', at, { ...file, variable_record_ms: '2000' }),
    end: (at = startedAt + 2_500) => event('CHANNEL_HANGUP_COMPLETE', at, { variable_record_ms: '2000' }),
  }
}

/** A WAV file as the engine leaves it when a recording has stopped. */
export function aWavFile(samples = 2_000): Buffer {
  const bytes = wavHead(samples)
  return Buffer.concat([bytes, Buffer.alloc(samples * 2, 7)])
}

/** The head of a WAV file; with 0 samples, what the file holds while the recording goes on. */
export function wavHead(samples: number): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(samples === 0 ? 0 : 36 + samples * 2, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(samples * 2, 40)
  return head
}
