import { type Precondition, requireMatch } from '../concurrency/precondition.ts'
import { untilDone } from '../concurrency/until-done.ts'
import type { DefaultRouteStore } from './default-route-store.ts'
import type { DefaultRoute } from './default-route.ts'
import { readDefaultRoute, requireWritable, routeNotFound, versionOf } from './read-default-route.ts'

/**
 * Gives a route and its neighbour each other's order; at the edge nothing changes. Answers the route as it is then.
 * Throws `not_found`, `precondition_failed` when the route is not as demanded, and `conflict` where one of the two is
 * read-only.
 */
export async function moveDefaultRoute(
  defaultRoutes: Pick<DefaultRouteStore, 'list' | 'read' | 'swap'>,
  { domain, id }: { readonly domain: string; readonly id: string },
  { direction, precondition }: { readonly direction: 'up' | 'down'; readonly precondition: Precondition },
): Promise<DefaultRoute> {
  await untilDone(async () => {
    const { routes, edition } = await defaultRoutes.list(domain)
    const index = routes.findIndex((route) => route.id === id)
    const route = routes[index]
    if (route === undefined) throw routeNotFound()
    requireMatch(precondition, versionOf(route))
    requireWritable(route)
    // The first route has no predecessor; a negative index must not count from the end.
    const neighbour = direction === 'down' ? routes[index + 1] : index === 0 ? undefined : routes[index - 1]
    if (neighbour === undefined) return true
    requireWritable(neighbour)
    return (await defaultRoutes.swap(route, neighbour, edition)) || undefined
  })
  return readDefaultRoute(defaultRoutes, domain, id)
}
