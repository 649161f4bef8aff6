import type { DefaultRouteStore } from '../ports.ts'
import { readDefaultRoute, requireWritable, routeNotFound } from './read-default-route.ts'

/** Removes a route. Throws `not_found`, and `conflict` for a read-only one. */
export async function deleteDefaultRoute(
  defaultRoutes: Pick<DefaultRouteStore, 'read' | 'remove'>,
  domain: string,
  id: string,
): Promise<void> {
  requireWritable(await readDefaultRoute(defaultRoutes, domain, id))
  if (!(await defaultRoutes.remove(domain, id))) throw routeNotFound()
}
