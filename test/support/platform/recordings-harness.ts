import { randomUUID } from 'node:crypto'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { s3RecordingFiles } from '../../../adapters/s3/s3-file-store.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import type { FileStore } from '../../../core/recordings/file-store.ts'
import type { ExpectedRecording, StoredObject } from '../../../core/recordings/recording.ts'
import { handler as readRecording } from '../../../functions/recordings/read-recording.ts'
import { type Api, type ApiRequest, anApi } from './api.ts'
import { aFileBody } from '../processes/file-bodies.ts'
import { type ObjectServer, startObjectServer } from '../stores/object-server.ts'
import { aRecording, aStoredObject } from '../records/records.ts'

/** A platform whose recordings lie in the embedded object store, reached over real sockets. */
export interface RecordingHarness {
  readonly api: Api
  readonly server: ObjectServer
  readonly admin: Readonly<Record<string, string>>
  readonly user: Readonly<Record<string, string>>
  /** Makes a stored recording of `1000` with its object; answers its record. */
  readonly recorded: (given?: Recorded) => Promise<ExpectedRecording>
  /** Asks for recordings of a call as the admin of the domain. */
  readonly ask: (uuid: string, request?: ApiRequest) => ReturnType<Api['call']>
  close(): Promise<void>
}

/** A recording's record and its bytes. */
export interface Recorded extends Partial<ExpectedRecording> {
  readonly content?: string | Buffer
  readonly contentType?: string
  readonly object?: Partial<StoredObject>
}

/** Opens one. */
export async function openRecordingHarness(): Promise<RecordingHarness> {
  const server = await startObjectServer()
  const base = anApi()
  const context = { env: server.env, clock: systemClock, random: systemRandomness }
  const api = base.with({ recordingFiles: { ...base.ports.recordingFiles, ...s3RecordingFiles(context) } })
  const admin = { ...(await api.as(await api.account({ login: '1001', role: 'admin' }))) }
  const user = { ...(await api.as(await api.account({ login: '1000' }))) }
  return {
    api,
    server,
    admin,
    user,
    recorded: (given) => record(api, given),
    ask: (uuid, { headers, ...request } = {}) =>
      api.call(readRecording, { params: { uuid }, headers: { ...admin, ...headers }, ...request }),
    close: () => server.close(),
  }
}

/** Makes a stored recording with its object. */
export async function record(
  { ports }: { readonly ports: Pick<Api['ports'], 'recordings'> & { readonly recordingFiles: FileStore } },
  given: Recorded = {},
): Promise<ExpectedRecording> {
  const { content = 'sound', contentType = 'audio/wav', object = {}, ...about } = given
  const recording = aRecording({ id: randomUUID(), ...about })
  const body = aFileBody(content)
  await ports.recordings.expect(recording)
  await ports.recordings.claim(recording, 'uploader', { now: 0, until: Number.MAX_SAFE_INTEGER })
  await ports.recordingFiles.put(recording.key, contentType, body)
  const { size, sha256 } = body
  await ports.recordings.markStored(recording, 'uploader', aStoredObject({ contentType, size, sha256, ...object }))
  return recording
}
