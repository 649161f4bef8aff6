import * as z from 'zod'
import type { JsonObject } from './model.ts'
import { flag, isMap, list, optionalText, text, wholeNumber } from './schema-values.ts'
import { jsonOf } from './yaml-tree.ts'

const step = z
  .custom<object>(isMap, 'must be a step: a map with the kind of the step')
  .transform((of) => jsonOf(of) as JsonObject)

/** A route as it is written; only a public one may be for a gateway. */
export const route = z.strictObject({
  name: text.optional(),
  pattern: text,
  gateway: optionalText,
  order: wholeNumber.optional(),
  disabled: flag.default(false),
  timezone: text.nullable().default(null),
  description: text.default(''),
  callflow: list(step).prefault(null),
})

/** A route without a name is named by its pattern, and one without an order comes after the one before it. */
function inOrder<R extends { readonly name?: string; readonly pattern: string; readonly order?: number }>(routes: R[]) {
  let last = 0
  const named = routes.map(({ name, order, ...rest }) => {
    last = order ?? last + 1
    return { ...rest, name: name ?? rest.pattern, order: last }
  })
  return named.toSorted((a, b) => a.order - b.order)
}

/** Default routes. */
export const routes = list(route.omit({ gateway: true })).transform(inOrder)

/** Public routes. */
export const publicRoutes = list(route).transform(inOrder)
