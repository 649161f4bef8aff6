import { dynamoKnownCallStore } from '../../adapters/dynamodb/calls/dynamo-known-call-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { s3RecordingFiles } from '../../adapters/s3/s3-file-store.ts'
import { sqsCdrQueue } from '../../adapters/sqs/sqs-cdr-queue.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import * as routes from '../../contracts/routes/engine.ts'
import { type UploadState, uploadRecording } from '../../core/recordings/upload-recording.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(
  routes.uploadRecording,
  {
    domains: dynamoDomainStore,
    knownCalls: dynamoKnownCallStore,
    recordings: dynamoRecordingStore,
    recordingFiles: s3RecordingFiles,
    events: sqsEventSink,
    cdrQueue: sqsCdrQueue,
  },
  async ({ body, clock, settings, log }, ports) => {
    const { sound_ms: sound, unfinished, ...named } = body
    const soundMs = sound === undefined ? undefined : Number(sound)
    const parts = body.parts.split(',')
    const file = { ...named, size: Number(body.size), parts, soundMs, isUnfinished: unfinished === 'true' }
    const graceMs = settings.deletionGraceSeconds * 1000
    const state = await uploadRecording({ ...ports, clock, graceMs }, file)
    if (state.kind === 'unlocked') {
      const { domain, uuid } = body
      log.error('a stored recording may lack the lock of its legal hold; it is tried again', state.problem, {
        domain,
        uuid,
      })
    }
    return linesOf(state)
  },
)

/** Lines that a shell script can read. */
function linesOf(state: UploadState): string {
  const parts = state.kind === 'upload' ? state.parts : []
  const lines = parts.map(({ number, size, checksum, url }) => `${number} ${size} ${checksum} ${url}`)
  return [state.kind, ...lines, ''].join('\n')
}
