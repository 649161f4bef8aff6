import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { s3RecordingFiles } from '../../adapters/s3/s3-file-store.ts'
import * as routes from '../../contracts/routes/recordings.ts'
import { bytesOf, findRecording, linkTo, listRecordings } from '../../core/recordings/read-recording.ts'
import { Bytes, Redirect, endpoint, reply } from '../endpoint.ts'

/** Applies to links, too: a cached link could be used by others. */
const headers = { 'Cache-Control': 'private, no-store' }

export const handler = endpoint(
  routes.readRecording,
  { recordings: dynamoRecordingStore, recordingFiles: s3RecordingFiles },
  async (request, ports) => {
    const { domain, since, caller, scope, accepts, query } = request
    const wanted = { domain, uuid: request.params.uuid, since, caller, scope, name: query.name }
    if (query.type === 'all') return reply(await listRecordings(ports.recordings, wanted), { headers })
    const found = await findRecording(ports, { ...wanted, type: query.type, fileName: query.file_name })
    const { contentType, disposition, size } = found
    if (query.redirect === 'false') {
      return new Bytes(await bytesOf(ports, found), contentType, { ...headers, 'Content-Disposition': disposition })
    }
    const { url, expires } = await linkTo(ports, found)
    if (!accepts(contentType) && accepts('application/json')) {
      return reply({ url, expires, contentType, size }, { headers })
    }
    return new Redirect(url, headers)
  },
)
