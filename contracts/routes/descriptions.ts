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
