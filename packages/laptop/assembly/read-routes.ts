import * as z from 'zod/mini'
import { matchesParts } from '../patterns/match-parts.ts'
import type { ApiRoute, CrossOrigin, LambdaFunction, Role } from './assembly.ts'
import { assetName } from './read-stacks.ts'
import type { Resource } from './stack.ts'

const integrationProperties = z.object({
  IntegrationType: z.literal('AWS_PROXY'),
  IntegrationUri: z.string(),
  PayloadFormatVersion: z.literal('2.0'),
})

const routeProperties = z.object({ RouteKey: z.string(), Target: z.optional(z.string()) })

const operation = z.object({
  'x-amazon-apigateway-integration': z.object({
    type: z.literal('aws_proxy'),
    uri: z.string(),
    payloadFormatVersion: z.literal('2.0'),
    credentials: z.optional(z.string()),
  }),
})

const texts = z._default(z.array(z.string()), [])

const importedCrossOrigin = z.object({
  allowOrigins: texts,
  allowMethods: texts,
  allowHeaders: texts,
  exposeHeaders: texts,
  maxAge: z._default(z.number(), 0),
})

const body = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  'x-amazon-apigateway-cors': z.optional(importedCrossOrigin),
})

const apiProperties = z.object({
  Body: z.optional(body),
  CorsConfiguration: z.optional(
    z.object({
      AllowOrigins: texts,
      AllowMethods: texts,
      AllowHeaders: texts,
      ExposeHeaders: texts,
      MaxAge: z._default(z.number(), 0),
    }),
  ),
})

/** The functions that routes lead to, and the roles in which a gateway invokes them. */
export interface RouteTargets {
  readonly functionOf: (address: string) => LambdaFunction
  readonly roles: readonly Role[]
}

/**
 * Returns the routes of a stack: those of the document that its API is imported from, and those that are resources.
 * Throws when the role of a route may not invoke its function, as requests would fail in the cloud.
 */
export function readRoutes(resources: readonly Resource[], targets: RouteTargets): ApiRoute[] {
  const ofType = (type: string) => resources.filter((resource) => resource.type === type)
  const integrations = new Map(
    ofType('AWS::ApiGatewayV2::Integration').map((resource) => [
      resource.identity.ref,
      z.parse(integrationProperties, resource.properties()).IntegrationUri,
    ]),
  )
  const declared = ofType('AWS::ApiGatewayV2::Route').map((resource) => {
    const { RouteKey, Target } = z.parse(routeProperties, resource.properties())
    const uri = integrations.get(assetName(Target ?? ''))
    if (uri === undefined) throw new Error(`route ${RouteKey} has no integration in its own stack`)
    return { key: RouteKey, functionArn: targets.functionOf(uri).arn }
  })
  return [...ofType('AWS::ApiGatewayV2::Api').flatMap((resource) => readImported(resource, targets)), ...declared]
}

/** The names of methods in a document; what else a path has is no operation. */
const methods: ReadonlySet<string> = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', 'options'])
const anyMethod = 'x-amazon-apigateway-any-method'

function readImported(resource: Resource, { functionOf, roles }: RouteTargets): ApiRoute[] {
  const { Body } = z.parse(apiProperties, resource.properties())
  return Object.entries(Body?.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method === anyMethod || methods.has(method))
      .map(([method, given]) => {
        const { uri, credentials } = z.parse(operation, given)['x-amazon-apigateway-integration']
        const key = path === '/$default' ? '$default' : `${method === anyMethod ? 'ANY' : method.toUpperCase()} ${path}`
        const { arn } = functionOf(uri)
        if (credentials !== undefined && !mayInvoke(roles, credentials, arn)) {
          throw new Error(`the role ${credentials} of the route ${key} may not invoke ${arn}`)
        }
        return { key, functionArn: arn }
      }),
  )
}

const wildcards = { anyText: '*', anyCharacter: '?' }

function mayInvoke(roles: readonly Role[], roleArn: string, functionArn: string): boolean {
  const statements = roles.find(({ arn }) => arn === roleArn)?.statements ?? []
  return statements.some(
    ({ effect, actions, resources }) =>
      effect === 'Allow' &&
      actions.includes('lambda:InvokeFunction') &&
      resources.some((pattern) => matchesParts(pattern, functionArn, wildcards)),
  )
}

/** Returns the cross-origin rules of an API, whether they are a property or stand in its document. */
export function readCrossOrigin(resource: Resource): CrossOrigin | undefined {
  const { Body, CorsConfiguration: own } = z.parse(apiProperties, resource.properties())
  const imported = Body?.['x-amazon-apigateway-cors']
  if (own === undefined) {
    return (
      imported && {
        origins: imported.allowOrigins,
        methods: imported.allowMethods,
        headers: imported.allowHeaders,
        exposedHeaders: imported.exposeHeaders,
        maxAgeSeconds: imported.maxAge,
      }
    )
  }
  return {
    origins: own.AllowOrigins,
    methods: own.AllowMethods,
    headers: own.AllowHeaders,
    exposedHeaders: own.ExposeHeaders,
    maxAgeSeconds: own.MaxAge,
  }
}
