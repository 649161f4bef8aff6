import * as z from 'zod/mini'
import { domainQuery, listQuery } from './shapes.ts'
import {
  createdRoute,
  maxRouteBytes,
  publicRouteInput,
  publicRouteOutput,
  removedRoute,
  routeParams,
} from './route-shapes.ts'
import { route } from './route.ts'

const common = { group: 'public-routes', authentication: 'token', domain: 'required', query: domainQuery } as const

const oneRoute = { ...common, versioned: true, params: routeParams } as const

/** `GET /api/v2/routes/public` */
export const listPublicRoutes = route({
  ...common,
  operationId: 'listPublicRoutes',
  method: 'GET',
  path: '/api/v2/routes/public',
  summary: 'List the public routes of a domain',
  permission: { resource: 'rotes/public', action: 'r' },
  needs: { publicRoutes: ['list', 'callflows'] },
  query: listQuery,
  response: z.array(z.partial(publicRouteOutput)),
})

/** `POST /api/v2/routes/public` */
export const createPublicRoute = route({
  ...common,
  operationId: 'createPublicRoute',
  method: 'POST',
  path: '/api/v2/routes/public',
  summary: 'Create a public route, for calls from gateways',
  permission: { resource: 'rotes/public', action: 'c' },
  needs: { publicRoutes: ['list', 'create'] },
  body: publicRouteInput,
  maxBodyBytes: maxRouteBytes,
  errors: ['conflict'],
  response: createdRoute,
})

/** `GET /api/v2/routes/public/<id>` */
export const readPublicRoute = route({
  ...oneRoute,
  operationId: 'readPublicRoute',
  method: 'GET',
  path: '/api/v2/routes/public/{route_id}',
  summary: 'Read a public route',
  permission: { resource: 'rotes/public', action: 'r' },
  needs: { publicRoutes: ['read'] },
  response: publicRouteOutput,
})

/** `PUT /api/v2/routes/public/<id>`: fields that are left out get their defaults, except the order, which stays. */
export const replacePublicRoute = route({
  ...oneRoute,
  operationId: 'replacePublicRoute',
  method: 'PUT',
  path: '/api/v2/routes/public/{route_id}',
  summary: 'Replace a public route',
  permission: { resource: 'rotes/public', action: 'u' },
  needs: { publicRoutes: ['read', 'replace'] },
  body: publicRouteInput,
  maxBodyBytes: maxRouteBytes,
  errors: ['conflict'],
  response: publicRouteOutput,
})

/** `DELETE /api/v2/routes/public/<id>` */
export const deletePublicRoute = route({
  ...oneRoute,
  operationId: 'deletePublicRoute',
  method: 'DELETE',
  path: '/api/v2/routes/public/{route_id}',
  summary: 'Delete a public route',
  permission: { resource: 'rotes/public', action: 'd' },
  needs: { publicRoutes: ['read', 'remove'] },
  errors: ['conflict'],
  response: removedRoute,
})

/** `PUT /api/v2/routes/public/<id>/up`: swaps the order with the previous route. */
export const movePublicRouteUp = route({
  ...oneRoute,
  operationId: 'movePublicRouteUp',
  method: 'PUT',
  path: '/api/v2/routes/public/{route_id}/up',
  summary: 'Move a public route up',
  permission: { resource: 'rotes/public', action: 'u' },
  needs: { publicRoutes: ['list', 'read', 'swap'] },
  errors: ['conflict'],
  response: publicRouteOutput,
})

/** `PUT /api/v2/routes/public/<id>/down`: swaps the order with the next route. */
export const movePublicRouteDown = route({
  ...oneRoute,
  operationId: 'movePublicRouteDown',
  method: 'PUT',
  path: '/api/v2/routes/public/{route_id}/down',
  summary: 'Move a public route down',
  permission: { resource: 'rotes/public', action: 'u' },
  needs: { publicRoutes: ['list', 'read', 'swap'] },
  errors: ['conflict'],
  response: publicRouteOutput,
})
