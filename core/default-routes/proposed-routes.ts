import type { CallflowStep, StoredRoute } from './stored-route.ts'
import type { RouteStore } from './route-store.ts'
import type { CallflowJudges } from './parse-callflow.ts'
import { type RouteInput, readRouteInput } from './route-input.ts'

/**
 * Returns the routes of a proposal instead of stored ones. They have the numbers of their positions as ids, and without an
 * order they keep their positions. Throws what {@link readRouteInput} throws.
 */
export function proposedRoutes(
  inputs: readonly RouteInput[],
  judges: CallflowJudges,
): Pick<RouteStore, 'list' | 'callflows'> {
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
