import type { LiveCallStore } from '../../../core/channels/live-call-store.ts'
import type { MemoryContext } from './memory-state.ts'

/** Calls that the API placed, in memory. */
export function memoryLiveCallStore({ state }: Pick<MemoryContext, 'state'>): LiveCallStore {
  const callsOf = (domain: string) => state.liveCalls.get(domain) ?? new Map<string, number>()
  return {
    async put(domain, uuid, showsBy, limit) {
      const calls = callsOf(domain)
      if (!calls.has(uuid) && calls.size >= limit) return false
      state.liveCalls.set(domain, new Map([...calls, [uuid, showsBy]]))
      return true
    },
    async list(domain) {
      return callsOf(domain)
    },
    async remove(domain, uuids) {
      const kept = [...callsOf(domain)].filter(([uuid]) => !uuids.includes(uuid))
      state.liveCalls.set(domain, new Map(kept))
    },
  }
}
