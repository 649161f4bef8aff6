import type { DomainVersionStore } from '../../../core/domains/domain-version-store.ts'
import { keptUntil } from '../../../adapters/retention.ts'
import { type MemoryContext, memoryKey } from './memory-state.ts'

/** Versions of domains in memory. */
export function memoryDomainVersionStore({ state, clock }: MemoryContext): DomainVersionStore {
  const kept = () =>
    [...state.domainVersions.values()].filter((version) => keptUntil.domainVersion(version) > clock.now())
  return {
    async create(version, limit) {
      const { domain, number } = version
      if (kept().some((other) => other.domain === domain && other.number === number)) return false
      state.domainVersions.set(memoryKey(domain, String(number)), version)
      state.domainVersions.delete(memoryKey(domain, String(number - limit)))
      return true
    },
    async list(domain) {
      return kept()
        .filter((version) => version.domain === domain)
        .sort((a, b) => b.number - a.number)
        .map(({ document: _document, ...head }) => head)
    },
    async read(domain, number) {
      return kept().find((version) => version.domain === domain && version.number === number)
    },
  }
}
