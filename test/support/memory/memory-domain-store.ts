import type { DomainStore } from '../../../core/domains/domain-store.ts'
import { type MemoryContext, byText } from './memory-state.ts'

/** Tenants in memory. */
export function memoryDomainStore({ state }: MemoryContext): DomainStore {
  const isUsed = (name: string) => state.domains.has(name) || state.deletedDomains.has(name)
  return {
    async create(domain) {
      if (isUsed(domain.name)) return state.domains.get(domain.name)?.creationId === domain.creationId
      state.domains.set(domain.name, domain)
      return true
    },
    async read(name) {
      return state.domains.get(name)
    },
    async list() {
      return [...state.domains.values()].sort(byText((domain) => domain.name))
    },
    async replaceSettings({ name, variables, parameters, version }) {
      const domain = state.domains.get(name)
      if (domain?.version !== version - 1) return false
      state.domains.set(name, { ...domain, variables, parameters, version })
      return true
    },
    async exists(name) {
      return isUsed(name)
    },
    async anyExists(names) {
      return names.some(isUsed)
    },
    async beginDeletion(name, at) {
      const domain = state.domains.get(name)
      if (domain === undefined) return false
      state.domains.delete(name)
      state.deletedDomains.set(name, { name, since: at, parameters: domain.parameters })
      return true
    },
    async readDeleted(name) {
      return state.deletedDomains.get(name)
    },
    async listDeleted() {
      return [...state.deletedDomains.values()].sort(byText((domain) => domain.name))
    },
    async endDeletion(name) {
      state.deletedDomains.delete(name)
    },
  }
}
