import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoErasureStore } from '../../adapters/dynamodb/domains/dynamo-erasure-store.ts'
import { dynamoEventTraces } from '../../adapters/dynamodb/hooks/dynamo-event-traces.ts'
import { dynamoExportStore } from '../../adapters/dynamodb/recordings/dynamo-export-store.ts'
import { dynamoRecordingStore } from '../../adapters/dynamodb/recordings/dynamo-recording-store.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { s3ExportFiles, s3RecordingFiles } from '../../adapters/s3/s3-file-store.ts'
import { sqsCallEngine } from '../../adapters/sqs/sqs-call-engine.ts'
import { sqsErasureQueue } from '../../adapters/sqs/sqs-erasure-queue.ts'
import { erasureMessage } from '../../contracts/messages/erasure.ts'
import { eraseParty as record } from '../../contracts/workers.ts'
import { runErasure } from '../../core/erasures/run-erasure.ts'
import { worker } from '../worker.ts'
import { workTimeMs } from '../work-time.ts'

/** The last third of the function's time is left for the page under way. */
const workMs = workTimeMs(record)

export const handler = worker(
  { ...record, message: erasureMessage },
  {
    erasures: dynamoErasureStore,
    erasureQueue: sqsErasureQueue,
    cdrs: openSearchCdrStore,
    recordings: dynamoRecordingStore,
    recordingFiles: s3RecordingFiles,
    eventTraces: dynamoEventTraces,
    exports: dynamoExportStore,
    exportFiles: s3ExportFiles,
    accounts: dynamoAccountStore,
    engine: sqsCallEngine,
  },
  async (message, ports, { clock, log }) => {
    const end = await runErasure(ports, message, { clock, until: clock.now() + workMs })
    log.info('erasure', { domain: message.domain, id: message.id, end })
  },
)
