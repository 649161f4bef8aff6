import type { Versioned } from '../requests/precondition.ts'
import { DomainError } from '../errors.ts'
import type { RouteStore } from './route-store.ts'
import type { StoredRoute, RouteHead } from './stored-route.ts'
import { isRecordId } from '../record-id.ts'

/** Returns a route of a domain. Throws `not_found`. */
export async function readRoute(store: Pick<RouteStore, 'read'>, domain: string, id: string): Promise<StoredRoute> {
  const route = isRecordId(id) ? await store.read(domain, id) : undefined
  if (route === undefined) throw routeNotFound()
  return route
}

/** Returns the values that distinguish one version of a route from every other. */
export function versionOf({ createdAt, revision }: RouteHead): Versioned {
  return { createdAt, version: revision }
}

/** Returns the refusal of a missing route. */
export function routeNotFound(): DomainError {
  return new DomainError('not_found', 'Route not found')
}
