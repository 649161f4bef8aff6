import type { CallflowStep, StoredRoute, RouteHead } from './stored-route.ts'

interface RouteSet {
  /** By order, then id. */
  readonly routes: readonly RouteHead[]
  /** Changes with every write to a route of the domain. */
  readonly edition: number
}

/** Routes of the tenants: the default ones, for calls of accounts, or the public ones, for calls from gateways. */
export interface RouteStore {
  list(domain: string): Promise<RouteSet>
  /** Returns the callflows of routes, by id. A removed route has none. */
  callflows(domain: string, ids: readonly string[]): Promise<ReadonlyMap<string, readonly CallflowStep[]>>
  read(domain: string, id: string): Promise<StoredRoute | undefined>
  /** Writes a new route if the set still has this edition; otherwise returns `false`. */
  create(route: StoredRoute, edition: number): Promise<boolean>
  /** Replaces a route whose revision is still `route.revision - 1`; otherwise returns `false`. */
  replace(route: StoredRoute): Promise<boolean>
  /** Swaps the orders of two routes if the set still has this edition; else changes nothing and returns `false`. */
  swap(first: RouteHead, second: RouteHead, edition: number): Promise<boolean>
  /** Removes a route that still has this revision; otherwise returns `false`. */
  remove(route: RouteHead): Promise<boolean>
}
