import type { Assembly, Placed, Value } from './assembly.ts'

/** What a gateway does with the requests of a route. */
export interface Integration {
  readonly type: string
  readonly httpMethod: string
  readonly payloadFormatVersion: string
  readonly uri: Value
  readonly credentials: Value
}

/** The document that the API is imported from. */
export interface Skeleton {
  readonly info: { readonly title: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Integration>>>>>>
  readonly 'x-amazon-apigateway-cors'?: object
}

/** The one API of an assembly, and the document that it is imported from. */
export function importedApi(assembly: Assembly): { readonly api: Placed; readonly skeleton: Skeleton } {
  const api = assembly.one('AWS::ApiGatewayV2::Api', '')
  return { api, skeleton: api.Properties['Body'] as unknown as Skeleton }
}

/** The routes of the API by their keys, each with its integration. */
export function integrationsOf(assembly: Assembly): { readonly key: string; readonly integration: Integration }[] {
  return Object.entries(importedApi(assembly).skeleton.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const integration = operation['x-amazon-apigateway-integration']
      const key = path === '/$default' ? '$default' : `${method.toUpperCase()} ${path}`
      return integration === undefined ? [] : [{ key, integration }]
    }),
  )
}
