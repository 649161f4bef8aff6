import type { DefaultRouteStore } from '../../../core/default-routes/default-route-store.ts'
import type { RouteHead } from '../../../core/default-routes/default-route.ts'
import { type MemoryContext, byText, memoryKey } from './memory-state.ts'

/** Default routes in memory. */
export function memoryDefaultRouteStore({ state }: MemoryContext): DefaultRouteStore {
  const editionOf = (domain: string) => state.routeEditions.get(domain)?.edition ?? 0
  const change = (domain: string) => state.routeEditions.set(domain, { domain, edition: editionOf(domain) + 1 })
  const setOrder = ({ domain, id }: RouteHead, order: number) => {
    const stored = state.routes.get(memoryKey(domain, id))
    if (stored) state.routes.set(memoryKey(domain, id), { ...stored, order, revision: stored.revision + 1 })
  }
  return {
    async list(domain) {
      const routes = [...state.routes.values()]
        .filter((route) => route.domain === domain)
        .map(({ callflow: _callflow, ...head }) => head)
        .sort(byText((route) => route.id))
        .sort((a, b) => a.order - b.order)
      return { routes, edition: editionOf(domain) }
    },
    async callflows(domain, ids) {
      const found = ids.flatMap((id) => state.routes.get(memoryKey(domain, id)) ?? [])
      return new Map(found.map(({ id, callflow }) => [id, callflow]))
    },
    async read(domain, id) {
      return state.routes.get(memoryKey(domain, id))
    },
    async create(route, edition) {
      if (editionOf(route.domain) !== edition) return false
      state.routes.set(memoryKey(route.domain, route.id), route)
      change(route.domain)
      return true
    },
    async replace(route) {
      const stored = state.routes.get(memoryKey(route.domain, route.id))
      if (stored === undefined || stored.revision !== route.revision - 1) return false
      state.routes.set(memoryKey(route.domain, route.id), route)
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
      if (state.routes.get(memoryKey(domain, id))?.revision !== revision) return false
      state.routes.delete(memoryKey(domain, id))
      change(domain)
      return true
    },
  }
}
