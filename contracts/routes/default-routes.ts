import * as z from 'zod/mini'
import { domainQuery, listQuery, okData } from './shapes.ts'
import { gatewayName, plainText } from '../fields.ts'
import {
  createdRoute,
  maxRouteBytes,
  publicRouteInput,
  removedRoute,
  routeInput,
  routeOutput,
  routeParams,
} from './route-shapes.ts'
import { route } from './route.ts'

/** `GET /api/v2/routes/default` */
export const listDefaultRoutes = route({
  operationId: 'listDefaultRoutes',
  group: 'default-routes',
  method: 'GET',
  path: '/api/v2/routes/default',
  summary: 'List the default routes of a domain',
  authentication: 'token',
  permission: { resource: 'rotes/default', action: 'r' },
  domain: 'required',
  needs: { defaultRoutes: ['list', 'callflows'] },
  query: listQuery,
  response: z.array(z.partial(routeOutput)),
})

/** `POST /api/v2/routes/default` */
export const createDefaultRoute = route({
  operationId: 'createDefaultRoute',
  group: 'default-routes',
  method: 'POST',
  path: '/api/v2/routes/default',
  summary: 'Create a default route',
  authentication: 'token',
  permission: { resource: 'rotes/default', action: 'c' },
  domain: 'required',
  needs: { defaultRoutes: ['list', 'create'] },
  query: domainQuery,
  body: routeInput,
  maxBodyBytes: maxRouteBytes,
  errors: ['conflict'],
  response: createdRoute,
})

/** `GET /api/v2/routes/default/<id>` */
export const readDefaultRoute = route({
  operationId: 'readDefaultRoute',
  group: 'default-routes',
  method: 'GET',
  path: '/api/v2/routes/default/{route_id}',
  summary: 'Read a default route',
  authentication: 'token',
  permission: { resource: 'rotes/default', action: 'r' },
  domain: 'required',
  needs: { defaultRoutes: ['read'] },
  versioned: true,
  params: routeParams,
  query: domainQuery,
  response: routeOutput,
})

/** `PUT /api/v2/routes/default/<id>`: fields that are left out get their defaults, except the order, which stays. */
export const replaceDefaultRoute = route({
  operationId: 'replaceDefaultRoute',
  group: 'default-routes',
  method: 'PUT',
  path: '/api/v2/routes/default/{route_id}',
  summary: 'Replace a default route',
  authentication: 'token',
  permission: { resource: 'rotes/default', action: 'u' },
  domain: 'required',
  needs: { defaultRoutes: ['read', 'replace'] },
  versioned: true,
  params: routeParams,
  query: domainQuery,
  body: routeInput,
  maxBodyBytes: maxRouteBytes,
  errors: ['conflict'],
  response: routeOutput,
})

/** `DELETE /api/v2/routes/default/<id>` */
export const deleteDefaultRoute = route({
  operationId: 'deleteDefaultRoute',
  group: 'default-routes',
  method: 'DELETE',
  path: '/api/v2/routes/default/{route_id}',
  summary: 'Delete a default route',
  authentication: 'token',
  permission: { resource: 'rotes/default', action: 'd' },
  domain: 'required',
  needs: { defaultRoutes: ['read', 'remove'] },
  versioned: true,
  params: routeParams,
  query: domainQuery,
  errors: ['conflict'],
  response: removedRoute,
})

/** `PUT /api/v2/routes/default/<id>/up`: swaps the order with the previous route. */
export const moveDefaultRouteUp = route({
  operationId: 'moveDefaultRouteUp',
  group: 'default-routes',
  method: 'PUT',
  path: '/api/v2/routes/default/{route_id}/up',
  summary: 'Move a default route up',
  authentication: 'token',
  permission: { resource: 'rotes/default', action: 'u' },
  domain: 'required',
  needs: { defaultRoutes: ['list', 'read', 'swap'] },
  versioned: true,
  params: routeParams,
  query: domainQuery,
  errors: ['conflict'],
  response: routeOutput,
})

/** `PUT /api/v2/routes/default/<id>/down`: swaps the order with the next route. */
export const moveDefaultRouteDown = route({
  operationId: 'moveDefaultRouteDown',
  group: 'default-routes',
  method: 'PUT',
  path: '/api/v2/routes/default/{route_id}/down',
  summary: 'Move a default route down',
  authentication: 'token',
  permission: { resource: 'rotes/default', action: 'u' },
  domain: 'required',
  needs: { defaultRoutes: ['list', 'read', 'swap'] },
  versioned: true,
  params: routeParams,
  query: domainQuery,
  errors: ['conflict'],
  response: routeOutput,
})

const keysProblem = 'must be up to 16 of the keys 0-9 * #'
const menuKeys = z.string(keysProblem).check(z.regex(/^[0-9*#]{0,16}$/, keysProblem))

const simulatedStep = z.object({
  /** Where the step is, such as `callflow[0].if.then[1]`; `call` for what every call gets. */
  path: z.string(),
  kind: z.string(),
  application: z.optional(z.string()),
  data: z.optional(z.string()),
  taken: z.boolean(),
  reason: z.string(),
})

/**
 * `POST /api/v2/routes/default/simulate`: the path of a call through the routes, by the code that makes the engine's
 * dial plan. Nothing is dialled. `variables` are what the engine would know of the call, such as
 * `originate_disposition`. With the direction `inbound` the call comes from the gateway `gateway` and takes public
 * routes. `routes` replace all stored routes of that kind: the effect of a change before it is made.
 */
export const simulateDefaultRoutes = route({
  operationId: 'simulateDefaultRoutes',
  group: 'default-routes',
  method: 'POST',
  path: '/api/v2/routes/default/simulate',
  summary: 'Show how a call would be routed; nothing is dialled',
  description:
    '`digits` lists the keys that the caller presses at each menu, in order; without an entry the caller presses nothing.',
  authentication: 'token',
  permission: { resource: 'rotes/default', action: 'r' },
  domain: 'required',
  needs: {
    accounts: ['read', 'readByNumber'],
    blacklists: ['read'],
    defaultRoutes: ['list', 'callflows'],
    publicRoutes: ['list', 'callflows'],
    gateways: ['list', 'read'],
    domains: ['read'],
  },
  audited: false,
  idempotent: false,
  query: domainQuery,
  maxBodyBytes: maxRouteBytes,
  body: z.object({
    number: plainText(1, 64),
    caller: z.optional(plainText(1, 64)),
    time: z.optional(z.union([z.int(), plainText(1, 40)], 'must be epoch milliseconds or an ISO-8601 time')),
    variables: z.optional(z.record(plainText(1, 64), plainText(0, 1024))),
    routes: z.optional(z.array(publicRouteInput).check(z.maxLength(1_000, 'must have at most 1000 routes'))),
    direction: z.optional(z.enum(['internal', 'inbound'], 'must be internal or inbound')),
    gateway: z.optional(gatewayName),
    digits: z.optional(z.array(menuKeys).check(z.maxLength(100, 'must have at most 100 entries'))),
  }),
  response: okData(
    z.object({
      matched: z.object({
        kind: z.enum(['emergency', 'account', 'default', 'public', 'none']),
        _id: z.optional(z.string()),
        name: z.optional(z.string()),
      }),
      considered: z.readonly(z.array(z.object({ _id: z.string(), name: z.string(), reason: z.string() }))),
      steps: z.readonly(z.array(simulatedStep)),
      end: z.union([z.object({ cause: z.string() }), z.object({ application: z.string() })]),
    }),
  ),
})
