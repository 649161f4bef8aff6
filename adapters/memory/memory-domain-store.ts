import type { DomainStore } from '../../core/ports.ts'
import { type MemoryContext, byText } from './memory-state.ts'

/** Tenants in memory. */
export function memoryDomainStore({ state }: MemoryContext): DomainStore {
  return {
    async create(domain) {
      if (state.domains.has(domain.name)) return false
      state.domains.set(domain.name, domain)
      return true
    },
    async read(name) {
      return state.domains.get(name)
    },
    async list() {
      return [...state.domains.values()].sort(byText((domain) => domain.name))
    },
  }
}
