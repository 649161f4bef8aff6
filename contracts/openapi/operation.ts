import type * as z from 'zod/mini'
import type { ErrorCode } from '../../core/errors.ts'
import { errorStatus } from '../routes/shapes.ts'
import { type HttpMethod, type Route, limitsOf, takesKey } from '../routes/route.ts'
import { descriptionOf } from './description.ts'
import type { Example } from './examples.ts'
import { errorCodesOf, takesBody } from './error-codes-of.ts'
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts'
import { parametersOf } from './parameters.ts'

/**
 * Parts that operations share: the components that they add to the document while they are described, and the examples
 * of refusals.
 */
export interface SharedComponents {
  readonly schemas: Record<string, JsonSchema>
  readonly responses: Record<string, object>
  readonly refusals: Readonly<Record<string, unknown>>
}

/** Operations without an example: their answers are whole documents. */
const withoutExample = new Set(['readApiDescription', 'readEventDescription', 'readReference'])

/** Returns which parts of an operation have an example: those with a described body. */
export function describedForms(route: Route): { readonly request: boolean; readonly answer: boolean } {
  const { body, form, answers = ['json'], operationId } = route
  return {
    request: body !== undefined || form !== undefined,
    answer: answers.includes('json') && !withoutExample.has(operationId),
  }
}

/**
 * Returns the operation of one method of a route, and adds what it shares with others to `shared`. `example` is shown
 * with its bodies.
 */
export function operationOf(
  route: Route,
  method: HttpMethod,
  shared: SharedComponents,
  { request, answer }: Example = {},
): object {
  const parameters = parametersOf(route, method, shared.schemas)
  return {
    operationId: method === route.method ? route.operationId : `${route.operationId}By${titled(method)}`,
    summary: route.summary,
    description: descriptionOf(route, method),
    tags: [route.group],
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(takesBody(route) ? { requestBody: requestBodyOf(route, shared, request) } : {}),
    responses: responsesOf(route, method, shared, answer),
  }
}

const titled = (method: string) => `${method.charAt(0)}${method.slice(1).toLowerCase()}`

/** A user's token has two headers; a static token of a domain needs the first one alone. */
function securityOf({ authentication }: Route): readonly object[] {
  if (authentication === 'none') return []
  return authentication === 'engine' ? [{ engine: [] }] : [{ accessToken: [], key: [] }, { accessToken: [] }]
}

function requestBodyOf(route: Route, { schemas }: SharedComponents, example: unknown): object {
  if (route.rawBody === true) return { required: true, content: { '*/*': {} } }
  const declared: z.ZodMiniType | undefined = route.form ?? route.body
  if (declared === undefined) return { content: {} }
  const mediaType = route.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
  const schema = jsonSchemaOf(declared, 'request', `${route.operationId}Body`, schemas)
  return { required: !declared.safeParse({}).success, content: { [mediaType]: { schema, ...shown(example) } } }
}

const shown = (example: unknown) => (example === undefined ? {} : { example })

function responsesOf(route: Route, method: HttpMethod, shared: SharedComponents, example: unknown): object {
  const success = successesOf(route, method, shared, example)
  const byStatus = Map.groupBy(errorCodesOf(route), (code) => errorStatus[code])
  const refusals = [...byStatus].map(([status, codes]) => [
    String(status),
    method === 'HEAD' ? emptyResponse(route, codes.join(', ')) : refusalOf(status, codes, shared),
  ])
  // Statuses whose body is the response itself win.
  return { ...Object.fromEntries(refusals), ...success }
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

function headersOf(route: Route, method: HttpMethod): Record<string, object> {
  const isList =
    route.query !== undefined && 'shape' in route.query && Object.hasOwn(Object(route.query.shape), 'cursor')
  const names = [
    'X-Request-Id',
    'X-Ignored-Parameters',
    ...(route.versioned === true && method === 'GET' ? ['ETag'] : []),
    ...(isList ? ['X-Next-Cursor', 'X-Truncated'] : []),
    ...(takesKey(route) ? ['Idempotent-Replayed'] : []),
    ...(limitsOf(route).length > 0 ? ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] : []),
  ]
  return Object.fromEntries(names.map((name) => [name, header(name)]))
}

const emptyResponse = (route: Route, description: string) => ({ description, headers: headersOf(route, 'HEAD') })

function successesOf(
  route: Route,
  method: HttpMethod,
  { schemas }: SharedComponents,
  example: unknown,
): Record<string, object> {
  const { answers = ['json'], otherStatuses = [], responseType = 'application/json' } = route
  const headers = headersOf(route, method)
  const statuses = ['200', ...otherStatuses.map(String)]
  if (method === 'HEAD') return Object.fromEntries(statuses.map((status) => [status, emptyResponse(route, 'No body.')]))
  const body = () => jsonSchemaOf(route.response, 'answer', `${route.operationId}Answer`, schemas)
  const content = {
    ...(answers.includes('json') ? { [responseType]: { schema: body(), ...shown(example) } } : {}),
    ...(answers.includes('bytes') ? { '*/*': {} } : {}),
  }
  const redirect = {
    description: 'The address of the content.',
    headers: { ...headers, Location: header('Location') },
  }
  return {
    ...Object.fromEntries(statuses.map((status) => [status, { description: route.summary, headers, content }])),
    ...(answers.includes('redirect') ? { 302: redirect } : {}),
    ...(route.versioned === true && method === 'GET'
      ? { 304: { description: 'The record has not changed since its `ETag` was read.', headers } }
      : {}),
  }
}

function refusalOf(status: number, codes: readonly ErrorCode[], { responses, refusals }: SharedComponents): object {
  const name = `${status}-${codes.join('-')}`
  const isLater = status === 429 || status === 503
  const examples = Object.fromEntries(
    codes.filter((code) => Object.hasOwn(refusals, code)).map((code) => [code, { value: refusals[code] }]),
  )
  responses[name] ??= {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: {
      'X-Request-Id': header('X-Request-Id'),
      'X-Ignored-Parameters': header('X-Ignored-Parameters'),
      ...(isLater ? { 'Retry-After': header('Retry-After') } : {}),
    },
    content: {
      'application/json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Error' }, { type: 'object', properties: { code: { enum: codes } } }],
        },
        ...(Object.keys(examples).length === 0 ? {} : { examples }),
      },
    },
  }
  return { $ref: `#/components/responses/${name}` }
}
