import type { CommandStore } from '../../core/ports.ts'
import type { MemoryContext } from './memory-state.ts'

/** Records of commands in memory. */
export function memoryCommandStore({ state }: MemoryContext): CommandStore {
  return {
    async create(record) {
      if (state.commands.has(record.id)) return false
      state.commands.set(record.id, record)
      return true
    },
    async read(id) {
      return state.commands.get(id)
    },
    async claim(id, connectorId) {
      const record = state.commands.get(id)
      if (record === undefined || record.claimedBy !== undefined) return false
      state.commands.set(id, { ...record, claimedBy: connectorId })
      return true
    },
    async complete(id, outcome) {
      const record = state.commands.get(id)
      if (record !== undefined && record.outcome === undefined) state.commands.set(id, { ...record, outcome })
    },
  }
}
