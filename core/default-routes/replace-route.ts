import { type Precondition, requireMatch } from '../requests/precondition.ts'
import { untilDone } from '../concurrency/retry.ts'
import type { RouteStore } from './route-store.ts'
import type { StoredRoute } from './stored-route.ts'
import type { CallflowJudges } from './parse-callflow.ts'
import { readRoute, versionOf } from './read-route.ts'
import { type RouteInput, readRouteInput } from './route-input.ts'

/** The inputs of a route's replacement. */
export interface RouteReplacement {
  readonly store: Pick<RouteStore, 'read' | 'replace'>
  readonly judges: CallflowJudges
  readonly precondition: Precondition
}

/**
 * Replaces a route: fields that the input leaves out get their defaults, except the order, which stays. Returns the new
 * route. Throws `invalid_field` and `permission_denied` for violations of the rules, `not_found`, and
 * `precondition_failed` when the precondition does not hold.
 */
export async function replaceRoute(
  { store, judges, precondition }: RouteReplacement,
  { domain, id }: { readonly domain: string; readonly id: string },
  input: RouteInput,
): Promise<StoredRoute> {
  const content = readRouteInput(input, judges)
  return untilDone(async () => {
    const stored = await readRoute(store, domain, id)
    requireMatch(precondition, versionOf(stored))
    const { order, createdAt } = stored
    const route = { ...content, id, domain, createdAt, order: input.order ?? order, revision: stored.revision + 1 }
    return (await store.replace(route)) ? route : undefined
  })
}
