import type { TokenStore } from '../../../core/auth/token-store.ts'
import { type MemoryContext, byText, memoryKey } from './memory-state.ts'

/** Login results in memory. */
export function memoryTokenStore({ state, clock }: MemoryContext): TokenStore {
  return {
    async create(token, limit) {
      state.tokens.set(tokenKey(token.domain, token.login, token.key), token)
      const login = token.login.toLowerCase()
      const live = [...state.tokens.values()]
        .filter((other) => other.domain === token.domain && other.login.toLowerCase() === login)
        .filter((other) => other.expiresAt > clock.now())
        .sort(byText((other) => other.key))
        .sort((a, b) => b.createdAt - a.createdAt)
      for (const old of live.slice(limit)) state.tokens.delete(tokenKey(old.domain, old.login, old.key))
    },
    async remove(domain, login, key) {
      return state.tokens.delete(tokenKey(domain, login, key))
    },
  }
}

/** The key of a token: its user, then itself. */
export function tokenKey(domain: string, login: string, key: string): string {
  return memoryKey(domain, login.toLowerCase(), key)
}
