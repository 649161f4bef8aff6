import type { SessionStore } from '../../../core/auth/credentials.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** Activity of users in memory. */
export function memorySessionStore({ state, clock }: MemoryContext): SessionStore {
  return {
    async touch(username, domain, at) {
      const known = state.sessions.get(username)
      if (known === undefined || known.at < at) state.sessions.set(username, { username, domain, at })
    },
    async meet(username, network, at) {
      const key = memoryKey(username, network)
      const known = state.networks.get(key)
      if (known !== undefined && keptUntil.network(known) > clock.now()) return false
      state.networks.set(key, at)
      return true
    },
    async count(since, domain) {
      const seen = [...state.sessions.values()].filter((session) => session.at >= since)
      const active = seen.filter((session) => domain === undefined || session.domain === domain)
      const domains = new Set(active.map((session) => session.domain).filter((name) => name !== ''))
      const highest = Math.max(state.highestSessions.get(domain ?? '') ?? 0, active.length)
      state.highestSessions.set(domain ?? '', highest)
      return { users: active.length, domains: domains.size, highest }
    },
  }
}
