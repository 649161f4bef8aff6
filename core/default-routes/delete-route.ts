import { type Precondition, requireMatch } from '../requests/precondition.ts'
import { untilDone } from '../concurrency/retry.ts'
import type { RouteStore } from './route-store.ts'
import { readRoute, versionOf } from './read-route.ts'

/**
 * Removes a route. Throws `not_found`, and `precondition_failed` when the precondition does not hold.
 */
export async function deleteRoute(
  store: Pick<RouteStore, 'read' | 'remove'>,
  { domain, id }: { readonly domain: string; readonly id: string },
  precondition: Precondition,
): Promise<void> {
  await untilDone(async () => {
    const route = await readRoute(store, domain, id)
    requireMatch(precondition, versionOf(route))
    return (await store.remove(route)) || undefined
  })
}
