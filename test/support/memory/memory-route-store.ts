import type { RouteStore } from '../../../core/default-routes/route-store.ts'
import type { RouteHead } from '../../../core/default-routes/stored-route.ts'
import { type MemoryContext, type MemoryState, byText, memoryKey } from './memory-state.ts'

/** Default routes in memory. */
export function memoryDefaultRouteStore({ state }: MemoryContext): RouteStore {
  return routeStore(state.routes, state.routeEditions)
}

/** Public routes in memory. */
export function memoryPublicRouteStore({ state }: MemoryContext): RouteStore {
  return routeStore(state.publicRoutes, state.publicRouteEditions)
}

function routeStore(stored: MemoryState['routes'], editions: MemoryState['routeEditions']): RouteStore {
  const editionOf = (domain: string) => editions.get(domain)?.edition ?? 0
  const change = (domain: string) => editions.set(domain, { domain, edition: editionOf(domain) + 1 })
  const setOrder = ({ domain, id }: RouteHead, order: number) => {
    const found = stored.get(memoryKey(domain, id))
    if (found) stored.set(memoryKey(domain, id), { ...found, order, revision: found.revision + 1 })
  }
  return {
    async list(domain) {
      const routes = [...stored.values()]
        .filter((route) => route.domain === domain)
        .map(({ callflow: _callflow, ...head }) => head)
        .sort(byText((route) => route.id))
        .sort((a, b) => a.order - b.order)
      return { routes, edition: editionOf(domain) }
    },
    async callflows(domain, ids) {
      const found = ids.flatMap((id) => stored.get(memoryKey(domain, id)) ?? [])
      return new Map(found.map(({ id, callflow }) => [id, callflow]))
    },
    async read(domain, id) {
      return stored.get(memoryKey(domain, id))
    },
    async create(route, edition) {
      if (editionOf(route.domain) !== edition) return false
      stored.set(memoryKey(route.domain, route.id), route)
      change(route.domain)
      return true
    },
    async replace(route) {
      const found = stored.get(memoryKey(route.domain, route.id))
      if (found === undefined || found.revision !== route.revision - 1) return false
      stored.set(memoryKey(route.domain, route.id), route)
      change(route.domain)
      return true
    },
    async swap(first, second, edition) {
      if (editionOf(first.domain) !== edition) return false
      setOrder(first, second.order)
      setOrder(second, first.order)
      change(first.domain)
      return true
    },
    async remove({ domain, id, revision }) {
      if (stored.get(memoryKey(domain, id))?.revision !== revision) return false
      stored.delete(memoryKey(domain, id))
      change(domain)
      return true
    },
  }
}
