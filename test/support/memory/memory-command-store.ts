import { type PendingUnregistration, claimsAtATime } from '../../../core/commands/commands.ts'
import type { CommandStore } from '../../../core/commands/command-store.ts'
import { keptUntil } from '../../../adapters/retention.ts'
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
      state.commands.set(id, { ...record, claimedBy: connectorId, claimedAt: clock.now() })
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
    async endClaimsOf(connectorId, claimedBefore) {
      const open = [...state.commands.values()]
        .filter(({ id, claimedBy, outcome }) => claimedBy === connectorId && outcome === undefined && kept(id))
        .filter(({ claimedAt = 0 }) => claimedAt < claimedBefore)
        .sort((a, b) => (a.claimedAt ?? 0) - (b.claimedAt ?? 0))
      const looked = open.slice(0, claimsAtATime)
      for (const record of looked) {
        state.commands.set(record.id, { ...record, outcome: { state: 'unknown', reason: 'connector_lost' } })
      }
      return { ended: looked.length, more: open.length > looked.length }
    },
    async keepAlias(chosen, actual) {
      state.aliases.set(chosen, { actual, notedAt: clock.now() })
    },
    async readAlias(chosen) {
      const alias = state.aliases.get(chosen)
      return alias && keptUntil.alias(alias.notedAt) > clock.now() ? alias.actual : undefined
    },
    async addUnregistrations(drops) {
      for (const drop of drops) state.pendingUnregistrations.set(keyOf(drop), { drop, notedAt: clock.now() })
    },
    async listUnregistrations(engine) {
      return [...state.pendingUnregistrations.values()]
        .filter(({ drop, notedAt }) => drop.engine === engine && keptUntil.pendingUnregistration(notedAt) > clock.now())
        .map(({ drop }) => drop)
    },
    async endUnregistration(drop) {
      if (state.pendingUnregistrations.get(keyOf(drop))?.drop.command === drop.command)
        state.pendingUnregistrations.delete(keyOf(drop))
    },
  }
}

function keyOf({ engine, domain, login }: PendingUnregistration): string {
  return JSON.stringify([engine, domain, login])
}
