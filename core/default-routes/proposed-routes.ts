import type { CallflowStep, StoredRoute } from './stored-route.ts'
import { invalidField } from '../errors.ts'
import type { RouteStore } from './route-store.ts'
import type { CallflowJudges } from './parse-callflow.ts'
import { type RouteInput, readRouteInput } from './route-input.ts'

/**
 * Returns the routes of a proposal instead of stored ones. They have the numbers of their positions as ids, and without
 * an order they keep their positions. Throws what {@link readRouteInput} throws, and `invalid_field` for a default
 * route that names a gateway.
 */
export function proposedRoutes(
  inputs: readonly RouteInput[],
  judges: CallflowJudges,
  kind: 'defaultRoutes' | 'publicRoutes',
): Pick<RouteStore, 'list' | 'callflows'> {
  const named = kind === 'defaultRoutes' ? inputs.findIndex(({ gateway }) => gateway !== undefined) : -1
  if (named >= 0) {
    throw invalidField(`routes[${named}].gateway`, 'is for public routes: simulate these with the direction inbound')
  }
  const routes = inputs
    .map((input, index): StoredRoute => {
      const id = index.toString(16).padStart(24, '0')
      const { domain } = judges
      return { ...readRouteInput(input, judges), id, domain, order: input.order ?? index, createdAt: 0, revision: 1 }
    })
    .toSorted((a, b) => a.order - b.order)
  const callflows = new Map(routes.map(({ id, callflow }): [string, readonly CallflowStep[]] => [id, callflow]))
  return { list: async () => ({ routes, edition: 0 }), callflows: async () => callflows }
}
