import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { s3RecordingFiles } from '../../adapters/s3/s3-file-store.ts'
import * as routes from '../../contracts/routes/recordings.ts'
import { holdRecordings } from '../../core/recordings/hold-recordings.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.holdRecordings,
  { recordings: dynamoRecordingStore, recordingFiles: s3RecordingFiles },
  async ({ domain, since, caller, scope, query, params, body }, ports) => {
    const wanted = { domain, uuid: params.uuid, since, caller, scope, name: query.name }
    const count = await holdRecordings(ports, wanted, body.hold)
    return okInfo(`${body.hold ? 'Held' : 'Released'} ${count} files.`)
  },
)
