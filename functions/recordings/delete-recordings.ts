import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { s3RecordingFiles } from '../../adapters/s3/s3-file-store.ts'
import { sqsCdrQueue } from '../../adapters/sqs/sqs-cdr-queue.ts'
import * as routes from '../../contracts/routes/recordings.ts'
import { deleteRecordings } from '../../core/recordings/delete-recordings.ts'
import { endpoint, okInfo } from '../endpoint.ts'

export const handler = endpoint(
  routes.deleteRecordings,
  {
    recordings: dynamoRecordingStore,
    recordingFiles: s3RecordingFiles,
    cdrQueue: sqsCdrQueue,
  },
  async (request, ports) => {
    const { domain, since, caller, scope, query } = request
    const wanted = { domain, uuid: request.params.uuid, since, caller, scope, name: query.name }
    return okInfo(`Removed ${await deleteRecordings(ports, wanted, request)} files.`)
  },
)
