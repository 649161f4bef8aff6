import type { Presence, PresenceStore } from '../../../core/accounts/presence.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { accountKey } from './memory-account-store.ts'
import { type MemoryContext, byText } from './memory-state.ts'

/** Phones of accounts in memory. */
export function memoryPresenceStore({ state, clock }: MemoryContext): PresenceStore {
  const isKept = (presence: Presence) => keptUntil.presence(presence) > clock.now()
  return {
    async read(domain, login) {
      const presence = state.presence.get(accountKey(domain, login))
      return presence && isKept(presence) ? presence : undefined
    },
    async list(domain) {
      return [...state.presence.values()]
        .filter((presence) => presence.domain === domain && isKept(presence))
        .sort(byText((presence) => presence.login.toLowerCase()))
    },
    async readEach(accounts) {
      return accounts.flatMap(({ domain, login }) => {
        const presence = state.presence.get(accountKey(domain, login))
        return presence && isKept(presence) ? presence : []
      })
    },
    async put(presence) {
      const key = accountKey(presence.domain, presence.login)
      const known = state.presence.get(key)
      if (known === undefined || known.observedAt <= presence.observedAt) state.presence.set(key, presence)
    },
  }
}
