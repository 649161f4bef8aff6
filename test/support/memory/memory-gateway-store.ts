import type { GatewayStore } from '../../../core/gateways/gateway-store.ts'
import { type MemoryContext, byText, memoryKey } from './memory-state.ts'

/** Gateways in memory. */
export function memoryGatewayStore({ state }: Pick<MemoryContext, 'state'>): GatewayStore {
  const of = (domain: string) => [...state.gateways.values()].filter((gateway) => gateway.domain === domain)
  return {
    async list(domain) {
      return of(domain).toSorted(byText(({ name }) => name))
    },
    async listAll() {
      return [...state.gateways.values()]
    },
    async listByNetwork() {
      return [...state.gateways.values()].filter(({ enabled, networks }) => enabled && networks.length > 0)
    },
    async read(domain, name) {
      return state.gateways.get(memoryKey(domain, name))
    },
    async create(gateway, most) {
      const { domain, name } = gateway
      if (state.gateways.has(memoryKey(domain, name))) return 'exists'
      if (of(domain).length >= most) return 'full'
      state.gateways.set(memoryKey(domain, name), gateway)
      return 'created'
    },
    async replace(gateway) {
      const { domain, name, version } = gateway
      if (state.gateways.get(memoryKey(domain, name))?.version !== version - 1) return false
      state.gateways.set(memoryKey(domain, name), gateway)
      return true
    },
    async remove({ domain, name, version }) {
      if (state.gateways.get(memoryKey(domain, name))?.version !== version) return false
      return state.gateways.delete(memoryKey(domain, name))
    },
  }
}
