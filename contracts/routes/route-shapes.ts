import * as z from 'zod/mini'
import { gatewayName, plainText } from '../fields.ts'

/** Callflows are large: the limit of their endpoints' bodies. */
export const maxRouteBytes = 1024 * 1024

/** The path id of a route. Any text is accepted; text that is not an id finds no route. */
export const routeParams = z.object({ route_id: z.string() })

/** Orders are 32-bit, so that the highest plus one never loses digits. */
const order = z
  .int('must be a whole number')
  .check(
    z.minimum(-2_147_483_648, 'must be at least -2147483648'),
    z.maximum(2_147_483_647, 'must be at most 2147483647'),
  )

/** A route as callers write it. core/default-routes checks pattern, zone and callflow. */
export const routeInput = z.object({
  destination_number: plainText(1, 120),
  name: z.optional(plainText(1, 120)),
  order: z.optional(order),
  disabled: z.optional(z.boolean('must be true or false')),
  fs_timezone: z.optional(z.nullable(plainText(1, 64))),
  description: z.optional(plainText(0, 500)),
  callflow: z.optional(z.array(z.unknown(), 'must be a list of steps')),
})

const routeId = z.string().check(z.regex(/^[0-9a-f]{24}$/))

/** A route as callers see it. */
export const routeOutput = z.object({
  _id: routeId,
  destination_number: z.string(),
  name: z.string(),
  order: z.int(),
  disabled: z.boolean(),
  domain: z.string(),
  fs_timezone: z.nullable(z.string()),
  description: z.string(),
  callflow: z.array(z.record(z.string(), z.unknown())),
  /**
   * Positions in the callflow that are no longer allowed, such as `callflow[3].setVar`; they are not served to the
   * engine.
   */
  ignored: z.optional(z.array(z.string())),
  version: z.int(),
})

/** The answer to a route's creation. */
export const createdRoute = z.object({ _id: routeId })

/** The answer to a route's removal. */
export const removedRoute = z.object({ ok: z.literal(1), n: z.literal(1) })

/** A public route as callers write it: with `gateway`, it takes the calls of that gateway alone. */
export const publicRouteInput = z.extend(routeInput, { gateway: z.optional(gatewayName) })

/** A public route as callers see it. */
export const publicRouteOutput = z.extend(routeOutput, { gateway: z.optional(z.string()) })
