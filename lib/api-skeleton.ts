import { cors } from '../contracts/routes/cors.ts'
import type { HttpMethod, Route } from '../contracts/routes/route.ts'
import { shadowedRoutes } from '../contracts/routes/shadowed-routes.ts'

/** The parts of a skeleton in addition to the routes. */
export interface SkeletonProps {
  readonly title: string
  /** Origins whose pages may call the API; without any, no preflight is answered. */
  readonly allowedOrigins: readonly string[]
  /** Returns the address at which the gateway invokes the function of an operation; `$default` answers what is left. */
  readonly addressOf: (operationId: string) => string
  /** The ARN of the role with which the gateway invokes functions. */
  readonly role: string
}

interface Operation {
  readonly method: HttpMethod
  readonly path: string
  readonly operationId: string
}

/**
 * Returns the OpenAPI document that the gateway imports: the paths of routes with their functions, and the cross-origin
 * rules. It has no schemas: functions check what they get.
 */
export function apiSkeleton(routes: readonly Route[], props: SkeletonProps): object {
  const operations: Operation[] = [
    ...operationsOf(routes),
    ...shadowedRoutes(routes).map(({ method, path }) => ({ method, path, operationId: '$default' })),
  ]
  const paths = [...Map.groupBy(operations, ({ path }) => path)].map(([path, own]) => [path, pathItem(own, props)])
  return {
    openapi: '3.0.1',
    info: { title: props.title, description: 'Callplane management API', version: '2' },
    paths: {
      ...Object.fromEntries(paths),
      '/$default': {
        'x-amazon-apigateway-any-method': { isDefaultRoute: true, ...answeredBy('$default', props) },
      },
    },
    ...(props.allowedOrigins.length > 0 && { 'x-amazon-apigateway-cors': crossOrigin(props.allowedOrigins) }),
  }
}

/** Returns the keys of the routes that engines call, such as `POST /engine/dialplan`, with each of their methods. */
export function engineRouteKeys(routes: readonly Route[]): readonly string[] {
  return operationsOf(routes.filter(isOfEngine)).map(({ method, path }) => `${method} ${path}`)
}

/** Returns whether engines call a route. */
export function isOfEngine({ path }: Pick<Route, 'path'>): boolean {
  return path.startsWith('/engine/')
}

function operationsOf(routes: readonly Route[]): readonly Operation[] {
  return routes.flatMap(({ method, otherMethods = [], path, operationId }) =>
    [method, ...otherMethods].map((each) => ({ method: each, path, operationId })),
  )
}

function pathItem(operations: readonly Operation[], props: SkeletonProps): object {
  const parameters = [...(operations[0]?.path ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  return {
    ...Object.fromEntries(
      operations.map(({ method, operationId }) => [method.toLowerCase(), answeredBy(operationId, props)]),
    ),
    ...(parameters.length > 0 && { parameters }),
  }
}

function answeredBy(operationId: string, { addressOf, role }: SkeletonProps): object {
  return {
    responses: { default: { description: 'as the function answers' } },
    'x-amazon-apigateway-integration': {
      type: 'aws_proxy',
      httpMethod: 'POST',
      payloadFormatVersion: '2.0',
      uri: addressOf(operationId),
      credentials: role,
    },
  }
}

function crossOrigin(allowOrigins: readonly string[]): object {
  return {
    allowOrigins,
    allowMethods: [...cors.methods, 'OPTIONS'],
    allowHeaders: cors.requestHeaders,
    exposeHeaders: cors.exposedHeaders,
    maxAge: cors.maxAgeSeconds,
  }
}
