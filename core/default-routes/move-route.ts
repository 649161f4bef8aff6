import { type Precondition, requireMatch } from '../requests/precondition.ts'
import { untilDone } from '../concurrency/retry.ts'
import type { RouteStore } from './route-store.ts'
import type { StoredRoute } from './stored-route.ts'
import { readRoute, routeNotFound, versionOf } from './read-route.ts'

/**
 * Gives a route and its neighbour each other's order; at the edge nothing changes. Answers the route as it is then.
 * Throws `not_found`, and `precondition_failed` when the route is not as demanded.
 */
export async function moveRoute(
  store: Pick<RouteStore, 'list' | 'read' | 'swap'>,
  { domain, id }: { readonly domain: string; readonly id: string },
  { direction, precondition }: { readonly direction: 'up' | 'down'; readonly precondition: Precondition },
): Promise<StoredRoute> {
  await untilDone(async () => {
    const { routes, edition } = await store.list(domain)
    const index = routes.findIndex((route) => route.id === id)
    const route = routes[index]
    if (route === undefined) throw routeNotFound()
    requireMatch(precondition, versionOf(route))
    // The first route has no predecessor; a negative index must not count from the end.
    const neighbour = direction === 'down' ? routes[index + 1] : index === 0 ? undefined : routes[index - 1]
    if (neighbour === undefined) return true
    return (await store.swap(route, neighbour, edition)) || undefined
  })
  return readRoute(store, domain, id)
}
