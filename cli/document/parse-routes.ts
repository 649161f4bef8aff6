import type { JsonObject, RouteRecord } from './model.ts'
import type { Place } from './yaml-place.ts'

const names = ['name', 'pattern', 'order', 'disabled', 'timezone', 'description', 'callflow'] as const

/** Reads routes, with the platform's defaults for what is left out. A route without an order comes after the one before it. */
export function readRoutes(place: Place): RouteRecord[] {
  const routes: RouteRecord[] = []
  for (const item of place.items()) routes.push(readRoute(item, (routes.at(-1)?.order ?? 0) + 1))
  return routes.toSorted((a, b) => a.order - b.order)
}

function readRoute(place: Place, usualOrder: number): RouteRecord {
  const given = place.members(names)
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
