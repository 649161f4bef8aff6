/**
 * A process that writes one export as the function that consumes the queue does; reports how it ended and what it used.
 */
import { createHash } from 'node:crypto'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryExportQueue } from '../memory/memory-export-queue.ts'
import { memoryExportStore } from '../memory/memory-export-store.ts'
import { memoryState } from '../memory/memory-state.ts'
import { openSearchCdrStore } from '../../../adapters/opensearch/opensearch-cdr-store.ts'
import { s3ExportFiles } from '../../../adapters/s3/s3-file-store.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { exportSearch } from '../../../core/cdr/exports/export-search.ts'
import { writeExport } from '../../../core/cdr/exports/write-export.ts'
import { anExport } from '../records/records.ts'

const context = { env: process.env, clock: systemClock, random: systemRandomness }
const request: unknown = JSON.parse(process.env['EXPORT_BODY'] ?? '{}')
const job = anExport({ createdAt: systemClock.now(), request: { body: request } })
const exports = memoryExportStore({ ...context, state: memoryState() })
await exports.create(job)
const end = await writeExport(
  {
    exports,
    exportQueue: memoryExportQueue(),
    exportFiles: s3ExportFiles(context),
    cdrs: openSearchCdrStore({ ...context, env: { ...process.env, ...searchCredentials() } }),
  },
  job,
  {
    clock: systemClock,
    until: Number.MAX_SAFE_INTEGER,
    read: exportSearch,
    sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
  },
)
const written = await exports.read(job)
const memoryMb = Math.round(process.resourceUsage().maxRSS / 1024)
console.log(JSON.stringify({ end, size: written?.size, rows: written?.progress.rows, memoryMb }))

/** The search server of tests looks at no signature. */
function searchCredentials() {
  return { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_SESSION_TOKEN: '' }
}
