import type { DomainToken } from '../../../core/access/token.ts'
import type { DomainTokenStore } from '../../../core/domains/domain-token-store.ts'
import { type MemoryContext, byText, memoryKey } from './memory-state.ts'

/** Tokens of domains in memory. */
export function memoryDomainTokenStore({ state }: MemoryContext): DomainTokenStore {
  const ofDomain = (domain: string): DomainToken[] =>
    [...state.domainTokens.values()].filter((token) => token.domain === domain)
  return {
    async create(token, limit) {
      if (state.domainTokens.has(memoryKey(token.domain, token.uuid))) return true
      if (ofDomain(token.domain).length >= limit) return false
      state.domainTokens.set(memoryKey(token.domain, token.uuid), token)
      return true
    },
    async read(domain, uuid) {
      return state.domainTokens.get(memoryKey(domain, uuid))
    },
    async list(domain) {
      return ofDomain(domain).sort(byText((token) => token.uuid))
    },
    async setEnabled(domain, uuid, enabled) {
      const stored = state.domainTokens.get(memoryKey(domain, uuid))
      if (stored === undefined) return undefined
      const changed = { ...stored, enabled }
      state.domainTokens.set(memoryKey(domain, uuid), changed)
      return changed
    },
    async remove(domain, uuid) {
      return state.domainTokens.delete(memoryKey(domain, uuid))
    },
  }
}
