import type { SessionStore } from '../../core/ports.ts'
import type { MemoryContext } from './memory-state.ts'

/** Activity of users in memory. */
export function memorySessionStore({ state }: MemoryContext): SessionStore {
  return {
    async touch(username, domain, at) {
      const known = state.sessions.get(username)
      if (known === undefined || known.at < at) state.sessions.set(username, { username, domain, at })
    },
    async count(since) {
      const active = [...state.sessions.values()].filter((session) => session.at >= since)
      const domains = new Set(active.map((session) => session.domain).filter((domain) => domain !== ''))
      state.highestSessions.users = Math.max(state.highestSessions.users, active.length)
      return { users: active.length, domains: domains.size, highest: state.highestSessions.users }
    },
  }
}
