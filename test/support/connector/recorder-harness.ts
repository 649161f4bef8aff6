import { randomUUID } from 'node:crypto'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type MemoryPorts, memoryPorts } from '../memory/memory-ports.ts'
import type { EngineEvent } from '../../../connector/runtime/engine.ts'
import { Recorder, type RecorderDeps } from '../../../connector/recordings/recorder.ts'
import type { Recording } from '../../../core/recordings/recording.ts'
import { type CapturedLog, capturedLog } from '../processes/captured-log.ts'
import { anEngineEvent } from '../engine/engine-event.ts'
import { type ManualTime, manualTime, settle } from '../processes/manual-time.ts'
import { aDomain } from '../records/records.ts'

/** The tenant of the harness's calls, and what the engine calls the folder with its recordings. */
export const recordedDomain = 'a.example.com'
export const engineFolder = '/var/recordings'
export const recordingEngine = '192.0.2.1:8021'

/** The leg that is recorded. */
export const recordedLeg = { engine: recordingEngine, presenceId: `1000@${recordedDomain}` }

/** The stores, and as many connectors over them as a test wants. */
export interface RecorderHarness {
  readonly time: ManualTime
  readonly ports: MemoryPorts
  readonly log: CapturedLog
  /** A connector's recorder, at work until the harness is closed. */
  connector(given?: Partial<RecorderDeps>): Recorder
  /** The domain's recordings, whatever their state. */
  recordings(): Promise<Recording[]>
  /** Lets time pass, 10 s at a time or as given, until something is so; fails when 500 times do not bring it about. */
  until(isSo: () => boolean | Promise<boolean>, stepMs?: number): Promise<void>
  close(): Promise<void>
}

/** Makes a lab. */
export async function recorderHarness(): Promise<RecorderHarness> {
  const time = manualTime()
  const ports = memoryPorts({ clock: time.clock, random: systemRandomness })
  await ports.domains.create(aDomain({ name: recordedDomain, createdAt: time.clock.now() - 3_600_000 }))
  const log = capturedLog()
  const stopping = new AbortController()
  const following: Promise<void>[] = []

  return {
    time,
    ports,
    log,
    connector: (given = {}) => {
      const made = new Recorder({
        ...time,
        ports,
        random: () => 0,
        log,
        ...given,
      })
      following.push(made.follow(stopping.signal))
      return made
    },
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
    stop: (at = startedAt + 2_000, headers: Readonly<Record<string, string>> = {}) =>
      event('RECORD_STOP', at, { ...file, variable_record_ms: '2000', ...headers }),
    end: (at = startedAt + 2_500) => event('CHANNEL_HANGUP_COMPLETE', at, { variable_record_ms: '2000' }),
  }
}
