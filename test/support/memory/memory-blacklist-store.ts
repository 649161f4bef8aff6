import type { BlacklistEntry } from '../../../core/blacklists/blacklist-entry.ts'
import type { BlacklistStore } from '../../../core/blacklists/blacklist-store.ts'
import { type MemoryContext, byText, memoryKey } from './memory-state.ts'

/** Blacklists in memory. */
export function memoryBlacklistStore({ state, clock }: MemoryContext): BlacklistStore {
  const isLive = (entry: BlacklistEntry) => entry.expires === undefined || entry.expires > clock.now()
  const liveOf = (domain: string) =>
    [...state.blacklists.values()].filter((entry) => entry.domain === domain && isLive(entry))
  const entriesOf = (domain: string, list: string) =>
    liveOf(domain)
      .filter((entry) => entry.list === list)
      .sort(byText((entry) => entry.number))
  const read = (domain: string, list: string, number: string) => {
    const entry = state.blacklists.get(memoryKey(domain, list, number))
    return entry !== undefined && isLive(entry) ? entry : undefined
  }
  return {
    async add(entry, limits) {
      const { domain, list, number } = entry
      const there = read(domain, list, number)
      if (there !== undefined) return there.id === entry.id ? 'added' : 'exists'
      const lists = new Set(liveOf(domain).map((each) => each.list))
      if (!lists.has(list) && lists.size >= limits.lists) return 'lists_full'
      if (entriesOf(domain, list).length >= limits.entries) return 'list_full'
      state.blacklists.set(memoryKey(domain, list, number), entry)
      return 'added'
    },
    async read(domain, list, number) {
      return read(domain, list, number)
    },
    async names(domain) {
      return [...new Set(liveOf(domain).map((entry) => entry.list))].sort(byText((name) => name))
    },
    async page(domain, list, { after, skip, limit, direction }) {
      const all = entriesOf(domain, list)
      const ordered = direction === 1 ? all : all.toReversed()
      const rest = ordered.filter(
        ({ number }) => after === undefined || (direction === 1 ? number > after : number < after),
      )
      return { entries: rest.slice(skip, skip + limit), more: rest.length > skip + limit }
    },
    async entries(domain, list) {
      return entriesOf(domain, list)
    },
    async remove(domain, list, number) {
      const isThere = read(domain, list, number) !== undefined
      state.blacklists.delete(memoryKey(domain, list, number))
      return isThere
    },
    async removeList(domain, list) {
      const entries = entriesOf(domain, list)
      for (const [key, entry] of state.blacklists) {
        if (entry.domain === domain && entry.list === list) state.blacklists.delete(key)
      }
      return entries.length
    },
    async sweep() {
      return true
    },
  }
}
