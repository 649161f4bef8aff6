import * as z from 'zod/mini'
import { route } from './route.ts'

/** `GET /openapi.json`: an OpenAPI 3.1 document of every route. */
export const readApiDescription = route({
  operationId: 'readApiDescription',
  group: 'descriptions',
  method: 'GET',
  path: '/openapi.json',
  summary: 'Read the description of this API',
  authentication: 'none',
  permission: null,
  domain: 'none',
  needs: {},
  response: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
})

/** `GET /asyncapi.json`: an AsyncAPI 3 document of what hooks deliver. */
export const readEventDescription = route({
  operationId: 'readEventDescription',
  group: 'descriptions',
  method: 'GET',
  path: '/asyncapi.json',
  summary: 'Read the description of what hooks deliver',
  authentication: 'none',
  permission: null,
  domain: 'none',
  needs: {},
  response: z.looseObject({ asyncapi: z.string(), channels: z.record(z.string(), z.unknown()) }),
})
