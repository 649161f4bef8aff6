import type { CommandStore } from '../../core/ports.ts'
import { keptUntil } from '../retention.ts'
import type { MemoryContext } from './memory-state.ts'

/** Records of commands in memory. */
export function memoryCommandStore({ state, clock }: MemoryContext): CommandStore {
  const kept = (id: string) => {
    const record = state.commands.get(id)
    return record && keptUntil.command(record) > clock.now() ? record : undefined
  }
  return {
    async create(record) {
      if (kept(record.id) !== undefined) return false
      state.commands.set(record.id, record)
      return true
    },
    async read(id) {
      return kept(id)
    },
    async claim(id, connectorId) {
      const record = kept(id)
      if (record === undefined || record.claimedBy !== undefined || record.outcome !== undefined) return false
      state.commands.set(id, { ...record, claimedBy: connectorId })
      return true
    },
    async withdraw(id) {
      const record = kept(id)
      if (record === undefined || record.claimedBy !== undefined || record.outcome !== undefined) return false
      state.commands.set(id, { ...record, outcome: { state: 'unsent', reason: 'expired' } })
      return true
    },
    async complete(id, outcome) {
      const record = kept(id)
      if (record !== undefined && record.outcome === undefined) state.commands.set(id, { ...record, outcome })
    },
  }
}
