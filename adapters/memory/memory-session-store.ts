import type { SessionStore } from '../../core/auth/credentials.ts'
import { keptUntil } from '../retention.ts'
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
    async count(since) {
      const active = [...state.sessions.values()].filter((session) => session.at >= since)
      const domains = new Set(active.map((session) => session.domain).filter((domain) => domain !== ''))
      state.highestSessions.users = Math.max(state.highestSessions.users, active.length)
      return { users: active.length, domains: domains.size, highest: state.highestSessions.users }
    },
  }
}
