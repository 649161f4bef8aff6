import { type Precondition, requireMatch } from '../concurrency/precondition.ts'
import { untilDone } from '../concurrency/until-done.ts'
import type { DefaultRouteStore } from './default-route-store.ts'
import { readDefaultRoute, requireWritable, versionOf } from './read-default-route.ts'

/**
 * Removes a route. Throws `not_found`, `precondition_failed` when the precondition does not hold, and `conflict` for a
 * read-only one.
 */
export async function deleteDefaultRoute(
  defaultRoutes: Pick<DefaultRouteStore, 'read' | 'remove'>,
  { domain, id }: { readonly domain: string; readonly id: string },
  precondition: Precondition,
): Promise<void> {
  await untilDone(async () => {
    const route = await readDefaultRoute(defaultRoutes, domain, id)
    requireMatch(precondition, versionOf(route))
    requireWritable(route)
    return (await defaultRoutes.remove(route)) || undefined
  })
}
