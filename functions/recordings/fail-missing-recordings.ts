import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { sqsCdrQueue } from '../../adapters/sqs/sqs-cdr-queue.ts'
import { sqsEventSink } from '../../adapters/sqs/sqs-event-sink.ts'
import { recordingMetrics } from '../../contracts/metrics.ts'
import { failMissingRecordings as record } from '../../contracts/schedules.ts'
import { failMissingRecordings } from '../../core/recordings/fail-missing-recordings.ts'
import { scheduled } from '../scheduled.ts'
import { workTimeMs } from '../work-time.ts'

/** The last third of the function's time is left for the recording under way. */
const workMs = workTimeMs(record)

export const handler = scheduled(
  record,
  { domains: dynamoDomainStore, recordings: dynamoRecordingStore, events: sqsEventSink, cdrQueue: sqsCdrQueue },
  async (ports, { clock, log, settings }) => {
    const graceMs = settings.deletionGraceSeconds * 1000
    const failed = await failMissingRecordings({ ...ports, clock, graceMs }, clock.now() + workMs)
    if (failed > 0) log.warn(recordingMetrics.missing.message, { failed })
  },
)
