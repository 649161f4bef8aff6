import type { PresenceStore } from '../../core/ports.ts'
import { accountKey } from './memory-account-store.ts'
import { type MemoryContext, byText } from './memory-state.ts'

/** Phones and calls of accounts in memory. */
export function memoryPresenceStore({ state }: MemoryContext): PresenceStore {
  return {
    async read(domain, login) {
      return state.presence.get(accountKey(domain, login))
    },
    async list(domain) {
      return [...state.presence.values()]
        .filter((presence) => presence.domain === domain)
        .sort(byText((presence) => presence.login.toLowerCase()))
    },
    async put(presence) {
      const key = accountKey(presence.domain, presence.login)
      const known = state.presence.get(key)
      if (known === undefined || known.observedAt <= presence.observedAt) state.presence.set(key, presence)
    },
  }
}
