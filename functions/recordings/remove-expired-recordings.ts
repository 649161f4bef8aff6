import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { s3RecordingFiles } from '../../adapters/s3/s3-file-store.ts'
import { sqsCdrQueue } from '../../adapters/sqs/sqs-cdr-queue.ts'
import { removeExpiredRecordings as record } from '../../contracts/schedules.ts'
import { removeExpiredRecordings } from '../../core/recordings/remove-expired-recordings.ts'
import { scheduled } from '../scheduled.ts'
import { workTimeMs } from '../work-time.ts'

/** The last third of the function's time is left for the recordings under way. */
const workMs = workTimeMs(record)

export const handler = scheduled(
  record,
  {
    domains: dynamoDomainStore,
    recordings: dynamoRecordingStore,
    recordingFiles: s3RecordingFiles,
    cdrQueue: sqsCdrQueue,
  },
  async (ports, { clock, log, settings }) => {
    const tools = { ...ports, clock, graceMs: settings.deletionGraceSeconds * 1000 }
    const { expired, finished, isCutShort } = await removeExpiredRecordings(tools, clock.now() + workMs)
    if (expired + finished > 0 || isCutShort) log.info('expired recordings', { expired, finished, isCutShort })
  },
)
