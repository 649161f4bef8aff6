import type { Route } from '../routes/route.ts'
import { errorBody } from '../routes/shapes.ts'
import type { Examples } from './examples.ts'
import { jsonSchemaOf } from './json-schema.ts'
import { type SharedComponents, operationOf } from './operation.ts'
import { sharedParameters } from './parameters.ts'
import { portable } from './portable.ts'

/** The parts of the document that its readers here use. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: object
  readonly servers: readonly object[]
  readonly tags: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

const info = {
  title: 'Callplane',
  version: 'v2',
  // openapi-generator refuses a license without an identifier; this one refers to no list.
  license: { name: 'All rights reserved', identifier: 'LicenseRef-All-rights-reserved' },
  description: [
    'A management API for telephony platforms: domains, accounts, live calls, hooks, call detail records and recordings.',
    'Log in with `POST /login` and send the answered `token` and `key` as `X-Access-Token` and `X-Key`.',
    'Every answer has an `X-Request-Id`; a request may bring its own.',
    'The API grows: ignore members of answers that you do not know.',
  ].join(' '),
} as const

const securitySchemes = {
  accessToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Access-Token',
    description: 'The `token` of a login, or a static token of a domain.',
  },
  key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Key',
    description: 'The `key` of a login. A static token of a domain needs none.',
  },
  engine: {
    type: 'http',
    scheme: 'basic',
    description: "The user `engine` with the deployment's engine credential.",
  },
} as const

const text = (description: string) => ({ description, schema: { type: 'string' } })
const whole = (description: string) => ({ description, schema: { type: 'integer' } })

const headers = {
  ETag: text('The version of the record, for `If-Match`.'),
  'Idempotent-Replayed': text('`true` if the answer is that of an earlier request with the same key.'),
  Location: text('The address of the content.'),
  'RateLimit-Limit': whole('The size of the tightest limit.'),
  'RateLimit-Remaining': whole('The requests that are left of it.'),
  'RateLimit-Reset': whole('The seconds until all of it is free again.'),
  'Retry-After': whole('The seconds to wait before the next attempt.'),
  'X-Ignored-Parameters': text(
    'The query parameters that the operation does not know, percent-encoded. They changed nothing.',
  ),
  'X-Next-Cursor': text('The `cursor` of the next page; absent on the last one.'),
  'X-Request-Id': text('The id of the request, also in the log and in the audit trail.'),
  'X-Truncated': text('`true` if the list is longer than the answer.'),
} as const

const groupPurposes: Readonly<Record<string, string>> = {
  auth: 'Log in and out, second factor',
  acl: 'Roles and their permissions',
  domains: 'Tenants, their settings, static tokens and versions',
  accounts: 'Users and phones',
  channels: 'Live calls',
  blacklists: 'Numbers that may not call',
  'default-routes': 'Where dialled numbers lead',
  'public-routes': 'Where calls from gateways lead',
  gateways: 'SIP trunks of a domain',
  hooks: 'Events that are delivered to your server',
  events: 'Events of the last 24 hours',
  email: 'The mail server of a domain',
  cdr: 'Call detail records: search and export',
  recordings: 'Recordings of calls',
  erasures: 'Removal of what names a person',
  audit: 'Who did what and when',
  status: 'State of the service',
  descriptions: 'Machine-readable descriptions and this reference',
  engine: 'For call engines only',
}

function tagOf(name: string): object {
  const description = groupPurposes[name]
  return { name, ...(description === undefined ? {} : { description }) }
}

const none: Examples = { operations: {}, refusals: {} }

/**
 * Returns the OpenAPI 3.1 document of some routes, as it is published. The same routes and examples always give the
 * same document.
 */
export function openApiDocument(routes: readonly Route[], examples: Examples = none): OpenApiDocument {
  return portable(exactDocument(routes, examples))
}

/** Returns the document before its forms are made portable: it says as much as JSON Schema can. */
export function exactDocument(routes: readonly Route[], examples: Examples = none): OpenApiDocument {
  const shared: SharedComponents = { schemas: {}, responses: {}, refusals: examples.refusals }
  const error = jsonSchemaOf(errorBody, 'answer', 'Error', shared.schemas)
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    for (const method of [route.method, ...(route.otherMethods ?? [])]) {
      const operations = (paths[route.path] ??= {})
      operations[method.toLowerCase()] = operationOf(route, method, shared, examples.operations[route.operationId])
    }
  }
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ group }) => group))].map(tagOf),
    paths: sorted(Object.fromEntries(Object.entries(paths).map(([path, operations]) => [path, sorted(operations)]))),
    components: {
      schemas: { Error: error, ...sorted(shared.schemas) },
      responses: sorted(shared.responses),
      parameters: sharedParameters,
      headers,
      securitySchemes,
    },
  }
}

/** Returns an object with its members in the order of their names, so that a new route changes only its own lines. */
function sorted<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
}
