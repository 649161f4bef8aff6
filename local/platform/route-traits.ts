import type { Route } from '../../contracts/routes/route.ts'
import type { RouteTraits } from '@callplane/laptop'

/** Returns what a gateway has to know about declared routes. */
export function routeTraits(routes: readonly Route[]): readonly RouteTraits[] {
  return routes.map((route) => ({
    key: `${route.method} ${route.path}`,
    // The engine waits two seconds for the routes that have a time of their own.
    isLookup: route.timeoutSeconds !== undefined,
    waitsOutside: waitsOutside(route),
    ...(route.maxBodyBytes !== undefined && { maxBodyBytes: route.maxBodyBytes }),
  }))
}

/** Lists of calls are readings that requests share; they take work and little waiting. */
function waitsOutside({ method, needs }: Route): boolean {
  return method !== 'GET' && (needs.engine?.includes('run') === true || (needs.hookClient ?? needs.mail) !== undefined)
}
