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

const ownFile = (name: string) => `functions/descriptions/files/${name}`

/** The files that the page of the API reference loads. Its texts about errors are those of the manual. */
const referenceFiles = {
  'reference.js': ownFile('reference.js'),
  'operation.js': ownFile('operation.js'),
  'elements.js': ownFile('elements.js'),
  'reference.css': ownFile('reference.css'),
  'errors.md': 'docs/errors.md',
} as const

/** The media types of the files of the API reference, by the ending of their names. */
export const referenceTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
}

/** `GET /docs`: the API reference, a page that shows the description and can try each operation. */
export const readReference = route({
  operationId: 'readReference',
  group: 'descriptions',
  method: 'GET',
  path: '/docs',
  summary: 'Show the API reference',
  authentication: 'none',
  permission: null,
  domain: 'none',
  needs: {},
  files: { 'reference.html': 'functions/descriptions/files/reference.html' },
  response: z.string(),
  responseType: 'text/html',
})

/** `GET /docs/<file>`: a script, style sheet or text of the API reference. */
export const readReferenceFile = route({
  operationId: 'readReferenceFile',
  group: 'descriptions',
  method: 'GET',
  path: '/docs/{file}',
  summary: 'Get a script, style sheet or text of the API reference',
  authentication: 'none',
  permission: null,
  domain: 'none',
  needs: {},
  files: referenceFiles,
  params: z.object({ file: z.string() }),
  response: z.never(),
  answers: ['bytes'],
})
