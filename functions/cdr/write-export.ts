import { createHash } from 'node:crypto'
import { dynamoExportStore } from '../../adapters/dynamodb/recordings/dynamo-export-store.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { s3ExportFiles } from '../../adapters/s3/s3-file-store.ts'
import { sqsExportQueue } from '../../adapters/sqs/sqs-export-queue.ts'
import { exportMessage } from '../../contracts/messages/export.ts'
import { writeExport as record } from '../../contracts/workers.ts'
import { exportSearch } from '../../core/cdr/exports/export-search.ts'
import { writeExport } from '../../core/cdr/exports/write-export.ts'
import { worker } from '../worker.ts'
import { workTimeMs } from '../work-time.ts'

/** The last third of the function's time is left for the page and the part under way. */
const workMs = workTimeMs(record)

export const handler = worker(
  { ...record, message: exportMessage },
  {
    exports: dynamoExportStore,
    exportQueue: sqsExportQueue,
    exportFiles: s3ExportFiles,
    cdrs: openSearchCdrStore,
  },
  async (message, ports, { clock, log }) => {
    const end = await writeExport(ports, message, {
      clock,
      until: clock.now() + workMs,
      read: exportSearch,
      sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
    })
    log.info('export', { domain: message.domain, id: message.id, end })
  },
)
