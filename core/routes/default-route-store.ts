import type { CallflowStep, DefaultRoute, RouteHead } from './default-route.ts'

/** The default routes of a domain as they were at one moment. */
interface RouteSet {
  /** By order, then id. */
  readonly routes: readonly RouteHead[]
  /** Changes with every write to a route of the domain. */
  readonly edition: number
}

/** The default routes of the tenants. */
export interface DefaultRouteStore {
  list(domain: string): Promise<RouteSet>
  /** The callflows of routes, by id. A route that is gone has none. */
  callflows(domain: string, ids: readonly string[]): Promise<ReadonlyMap<string, readonly CallflowStep[]>>
  read(domain: string, id: string): Promise<DefaultRoute | undefined>
  /** Writes a new route where the set is still of this edition; else `false`. */
  create(route: DefaultRoute, edition: number): Promise<boolean>
  /** Replaces a route whose revision is still `route.revision - 1`; else `false`. */
  replace(route: DefaultRoute): Promise<boolean>
  /** Gives two routes each other's order where the set is still of this edition; else changes nothing: `false`. */
  swap(first: RouteHead, second: RouteHead, edition: number): Promise<boolean>
  /** Removes a route that is still of this revision; else `false`. */
  remove(route: RouteHead): Promise<boolean>
}
