import { HttpMethod, HttpRoute, HttpRouteKey, type IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import type { ILogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { type Route, needsOf } from '../../contracts/routes/route.ts'
import { handlerOf } from '../handlers.ts'
import { type FunctionDefaults, PlatformFunction } from './platform-function.ts'

/** The gateway waits 29 s, and a handler answers within 28 s of its own accord. */
export const endpointTimeoutSeconds = 29

/** The inputs of an endpoint. */
export interface EndpointProps extends FunctionDefaults {
  readonly api: IHttpApi
  readonly route: Route
  readonly reservedConcurrency?: number
}

/** One declared route: its function, and a route of the API for each of its methods. */
export class Endpoint extends Construct {
  readonly logGroup: ILogGroup

  constructor(scope: Construct, id: string, { api, route, ...defaults }: EndpointProps) {
    super(scope, id)
    const handler = new PlatformFunction(this, 'Handler', {
      ...defaults,
      handler: handlerOf(route.group, route.operationId),
      summary: route.summary,
      needs: needsOf(route),
      memoryMb: route.memoryMb ?? 512,
      timeoutSeconds: route.timeoutSeconds ?? endpointTimeoutSeconds,
    })
    this.logGroup = handler.logGroup
    const integration = new HttpLambdaIntegration('Integration', handler.function)
    for (const method of [route.method, ...(route.otherMethods ?? [])]) {
      new HttpRoute(this, method, {
        httpApi: api,
        routeKey: HttpRouteKey.with(route.path, HttpMethod[method]),
        integration,
      })
    }
  }
}
