import type { JsonObject, PublicRouteRecord, RouteRecord } from './model.ts'
import type { Place } from './yaml-place.ts'

const names = ['name', 'pattern', 'order', 'disabled', 'timezone', 'description', 'callflow'] as const

/** Reads routes, with the platform's defaults for what is left out. A route without an order comes after the one before it. */
export function readRoutes(place: Place): RouteRecord[] {
  return inOrder(place, (item, usualOrder) => readRoute(item, item.members(names), usualOrder))
}

/** Reads public routes, which may be for one gateway. */
export function readPublicRoutes(place: Place): PublicRouteRecord[] {
  return inOrder(place, (item, usualOrder) => {
    const { gateway, ...given } = item.members([...names, 'gateway'])
    const name = gateway?.text() ?? ''
    return { ...readRoute(item, given, usualOrder), ...(name === '' ? {} : { gateway: name }) }
  })
}

function inOrder<R extends RouteRecord>(place: Place, read: (item: Place, usualOrder: number) => R): R[] {
  const routes: R[] = []
  for (const item of place.items()) routes.push(read(item, (routes.at(-1)?.order ?? 0) + 1))
  return routes.toSorted((a, b) => a.order - b.order)
}

function readRoute(
  place: Place,
  given: { readonly [N in (typeof names)[number]]?: Place },
  usualOrder: number,
): RouteRecord {
  if (given.pattern === undefined) throw place.error('must have a pattern')
  const pattern = given.pattern.text()
  return {
    name: given.name?.text() ?? pattern,
    pattern,
    order: given.order?.wholeNumber() ?? usualOrder,
    disabled: given.disabled?.flag() ?? false,
    timezone: given.timezone === undefined || given.timezone.isNull ? null : given.timezone.text(),
    description: given.description?.text() ?? '',
    callflow: given.callflow?.items().map(stepOf) ?? [],
  }
}

function stepOf(place: Place): JsonObject {
  if (!place.isMap) throw place.error('must be a step: a map with the kind of the step')
  return place.json() as JsonObject
}
