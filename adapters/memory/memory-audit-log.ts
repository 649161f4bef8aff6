import type { AuditLog } from '../../core/ports.ts'
import type { MemoryContext } from './memory-state.ts'

/** The audit trail in memory, in the order written. */
export function memoryAuditLog({ state }: MemoryContext): AuditLog {
  return {
    async append(record) {
      state.audit.push(record)
    },
  }
}
