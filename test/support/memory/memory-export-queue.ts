import type { ExportKey, ExportQueue } from '../../../core/cdr/exports/export-job.ts'

/** An {@link ExportQueue} that can be looked into. */
export interface MemoryExportQueue extends ExportQueue {
  /** Everything queued, in order. */
  readonly queued: ExportKey[]
}

/** Exports in memory. */
export function memoryExportQueue(): MemoryExportQueue {
  const queued: ExportKey[] = []
  return {
    queued,
    async send({ domain, id }) {
      queued.push({ domain, id })
    },
  }
}
