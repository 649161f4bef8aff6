import type { TenantData } from '../../../core/domains/domain-store.ts'
import type { MemoryContext } from './memory-state.ts'

/**
 * The maps whose records belong to a domain and go with it. A new one joins here; CDRs and recordings outlive theirs.
 */
const swept = [
  'tokens',
  'domainTokens',
  'accounts',
  'presence',
  'knownCalls',
  'roles',
  'loginNetworks',
  'deliveries',
  'deliveryEvents',
  'hooks',
  'blacklists',
  'routes',
  'routeEditions',
  'publicRoutes',
  'publicRouteEditions',
  'emailSettings',
  'gateways',
  'gatewayStates',
  'requestKeys',
  'exports',
  'erasures',
  'domainVersions',
] as const

/** Removes everything of a domain from the maps at once. */
export function memoryTenantData({ state }: MemoryContext): TenantData {
  return {
    async purge(domain) {
      for (const name of swept) {
        for (const [key, record] of state[name]) if (record.domain === domain) state[name].delete(key)
      }
      state.eventLogs.delete(domain)
      state.highestSessions.delete(domain)
      state.subscriptions.version += 1
      return true
    },
  }
}
