import type { ExportJob, ExportKey, ExportStore } from '../../../core/cdr/exports/export-job.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** Exports of CDRs in memory. */
export function memoryExportStore({ state, clock }: MemoryContext): ExportStore {
  const keyOf = ({ domain, id }: ExportKey) => memoryKey(domain, id)
  const kept = (place: ExportKey): ExportJob | undefined => {
    const job = state.exports.get(keyOf(place))
    return job !== undefined && keptUntil.exportJob(job) > clock.now() ? job : undefined
  }
  return {
    async create(job) {
      if (kept(job) === undefined) state.exports.set(keyOf(job), job)
    },
    read: async (place) => kept(place),
    list: async (domain) =>
      [...state.exports.values()].flatMap((job) => (job.domain === domain ? (kept(job) ?? []) : [])),
    async remove(place) {
      state.exports.delete(keyOf(place))
    },
    async replace(job) {
      if (kept(job)?.version !== job.version - 1) return false
      state.exports.set(keyOf(job), job)
      return true
    },
  }
}
