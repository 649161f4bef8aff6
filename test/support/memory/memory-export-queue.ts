import type { ExportPlace, ExportQueue } from '../../../core/cdr/exports/export-job.ts'

/** An {@link ExportQueue} that can be looked into. */
export interface MemoryExportQueue extends ExportQueue {
  /** Everything queued, in order. */
  readonly queued: ExportPlace[]
}

/** Exports in memory. */
export function memoryExportQueue(): MemoryExportQueue {
  const queued: ExportPlace[] = []
  return {
    queued,
    async send({ domain, id }) {
      queued.push({ domain, id })
    },
  }
}
