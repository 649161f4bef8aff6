import type { AuditLog } from '../../../core/audit/audit-log.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { type MemoryContext, byText } from './memory-state.ts'

/** The audit trail in memory, in the order written. */
export function memoryAuditLog({ state, clock }: MemoryContext): AuditLog {
  return {
    async append(record) {
      state.audit.push(record)
    },
    async list(domain, { since, after, newestFirst, limit }) {
      const entries = state.audit
        .map((record, index) => ({ ...record, position: position(record.at, index) }))
        .filter((entry) => entry.domain === domain && entry.at >= since && keptUntil.auditRecord(entry) > clock.now())
        .sort(byText((entry) => entry.position))
      const ordered = newestFirst ? entries.toReversed() : entries
      const isAfter = (own: string) => after === undefined || (newestFirst ? own < after : own > after)
      return ordered.filter((entry) => isAfter(entry.position)).slice(0, limit)
    },
  }
}

function position(at: number, index: number): string {
  return `${String(at).padStart(16, '0')}|${String(index).padStart(8, '0')}`
}
