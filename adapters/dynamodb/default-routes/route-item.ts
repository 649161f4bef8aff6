import * as z from 'zod/mini'
import { DomainError } from '../../../core/errors.ts'
import type { CallflowStep, StoredRoute, RouteHead } from '../../../core/default-routes/stored-route.ts'
import type { Item } from '../client.ts'
import { parseItem } from '../items.ts'
import { joinKey, keyPrefix } from '../key.ts'

const headItem = z.object({
  id: z.string(),
  domain: z.string(),
  destinationNumber: z.string(),
  name: z.string(),
  order: z.number(),
  disabled: z.boolean(),
  fsTimezone: z.nullable(z.string()),
  description: z.string(),
  gateway: z.optional(z.string()),
  version: z.number(),
  callflowBytes: z.number(),
  createdAt: z.number(),
  revision: z.number(),
})

/** The attributes of {@link headItem}; `name` and others are words of the store's own. */
export const headAttributes = Object.keys(headItem.shape)

/** The callflow is stored as JSON: it is nothing that the store looks into, and its depth is no concern of it. */
const flowItem = z.object({ id: z.string(), callflow: z.string() })
const editionItem = z.object({ edition: z.number() })
const steps = z.array(z.record(z.string(), z.unknown()))

/** The prefix of the sort keys of routes; the key of the edition sorts before them. */
const routePrefix = keyPrefix('route')

/** Default routes, for calls of accounts, or public ones, for calls from gateways. */
export type RouteKind = 'default' | 'public'

/** Returns the partition of a domain's routes of one kind and their edition. */
export function routePartition(kind: RouteKind, domain: string): string {
  return kind === 'public' ? joinKey('public', domain) : joinKey(domain)
}

/** Returns the key of the edition of these routes: the first item of its partition, so that it is read first. */
export function editionKey(kind: RouteKind, domain: string) {
  return { pk: routePartition(kind, domain), sk: joinKey('edition') }
}

/** Returns the key of a route. */
export function routeKey(kind: RouteKind, domain: string, id: string) {
  return { pk: routePartition(kind, domain), sk: joinKey('route', id) }
}

/** Returns a route as an item: at most 256 KiB of callflow, and a few hundred bytes. */
export function toRouteItem(kind: RouteKind, route: StoredRoute) {
  return { ...routeKey(kind, route.domain, route.id), ...route, callflow: JSON.stringify(route.callflow) }
}

/** Returns the routes and the edition among the items of a partition. */
export function readRouteSet(items: readonly Item[]): { heads: RouteHead[]; edition: number } {
  const [first] = items
  const isRoute = (item: Item) => String(item['sk']).startsWith(routePrefix)
  const edition = first === undefined || isRoute(first) ? undefined : parseItem(editionItem, first)
  return {
    heads: items.filter(isRoute).flatMap((item) => parseItem(headItem, item) ?? []),
    edition: edition?.edition ?? 0,
  }
}

/** Returns a whole route; `undefined` for `undefined`. */
export function readRoute(item: Item | undefined): StoredRoute | undefined {
  const head = parseItem(headItem, item)
  const flow = readFlow(item)
  return head && flow && { ...head, callflow: flow.callflow }
}

/** Returns a route's id and callflow; `undefined` for `undefined`. */
export function readFlow(item: Item | undefined): { id: string; callflow: readonly CallflowStep[] } | undefined {
  const stored = parseItem(flowItem, item)
  return stored && { id: stored.id, callflow: parseSteps(stored.callflow) }
}

function parseSteps(text: string): readonly CallflowStep[] {
  try {
    return steps.parse(JSON.parse(text))
  } catch (cause) {
    throw new DomainError('internal_error', 'a stored record cannot be read', { cause })
  }
}
