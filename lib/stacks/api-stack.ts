import { CfnOutput, Duration, NestedStack, Stack, type StackProps, Validations } from 'aws-cdk-lib'
import {
  CorsHttpMethod,
  type CorsPreflightOptions,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import type { Construct, IDependable } from 'constructs'
import { gatewayMetrics } from '../../contracts/metrics.ts'
import { cors } from '../../contracts/routes/cors.ts'
import * as platform from '../../contracts/settings/platform.ts'
import { lookUpDialplan } from '../../contracts/routes/engine.ts'
import { routes } from '../../contracts/routes/index.ts'
import type { Route } from '../../contracts/routes/route.ts'
import { shadowedRoutes } from '../../contracts/routes/shadowed-routes.ts'
import { Endpoint, endpointTimeoutSeconds } from '../constructs/endpoint.ts'
import { countLines } from '../constructs/line-count.ts'
import { LoggedStage } from '../constructs/logged-stage.ts'
import { type FunctionDefaults, PlatformFunction } from '../constructs/platform-function.ts'
import { constructId } from '../constructs/resources.ts'
import { staged } from '../constructs/stage.ts'
import { unmatched } from '../handlers.ts'

/** The inputs of the API. */
export interface ApiStackProps extends StackProps, FunctionDefaults {
  /** Public base address; empty: the API's own. */
  readonly publicUrl: string
  /** Origins whose pages may call the API; without any, no preflight is answered. */
  readonly allowedOrigins: readonly string[]
  readonly rateLimits: string
  readonly requestsPerSecond: number
  /** The concurrency that each function of `/engine/*` has for itself; 0: none. */
  readonly engineConcurrency: number
}

/** The HTTP API: one nested stack for each resource group, one function for each declared route. */
export class ApiStack extends Stack {
  readonly api: HttpApi

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props)
    this.api = new HttpApi(this, 'Api', {
      apiName: staged(this, 'callplane', '-'),
      description: 'Callplane management API',
      createDefaultStage: false,
      ...(props.allowedOrigins.length > 0 && { corsPreflight: preflightFor(props.allowedOrigins) }),
    })
    const publicUrl = props.publicUrl === '' ? this.api.apiEndpoint : props.publicUrl
    const defaults: FunctionDefaults = {
      build: props.build,
      resources: props.resources,
      isTraced: props.isTraced,
      environment: {
        ...props.environment,
        [platform.publicUrl.variable]: publicUrl,
        [platform.rateLimits.variable]: props.rateLimits,
      },
    }
    const last = this.answerRoutes(defaults, {
      earlier: this.answerUnmatched(defaults),
      engineConcurrency: props.engineConcurrency,
    })
    const engineRouteKeys = routes.filter(isOfEngine).map(({ method, path }) => `${method} ${path}`)
    const { api } = this
    new LoggedStage(this, 'Stage', {
      api,
      requestsPerSecond: props.requestsPerSecond,
      engineRouteKeys,
    }).node.addDependency(last)
    new CfnOutput(this, 'PublicUrl', { value: publicUrl, description: 'Base address of the API' })
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'Callers present X-Access-Token and X-Key, which every handler checks together with account and domain in one ' +
        'consistent read before it does anything else; an authorizer would be a second read with a cached answer.',
    })
  }

  /** Returns the last of its routes, which are created one after the other. */
  private answerUnmatched(defaults: FunctionDefaults): IDependable {
    const { function: handler } = new PlatformFunction(this, 'Unmatched', {
      ...defaults,
      handler: unmatched,
      summary: 'Answer unknown paths, wrong methods and aliases',
      needs: {},
      memoryMb: 512,
      timeoutSeconds: endpointTimeoutSeconds,
    })
    const integration = new HttpLambdaIntegration('Unmatched', handler)
    let last = new HttpRoute(this, 'Default', { httpApi: this.api, routeKey: HttpRouteKey.DEFAULT, integration })
    for (const { method, path } of shadowedRoutes(routes)) {
      const routeKey = HttpRouteKey.with(path, HttpMethod[method])
      const next = new HttpRoute(this, `${method}${path}`, { httpApi: this.api, routeKey, integration })
      next.node.addDependency(last)
      last = next
    }
    return last
  }

  /**
   * Creates the nested stacks one after the other, the first one after `earlier`: API Gateway refuses changes of one
   * API that come at the same time. Returns the last one.
   */
  private answerRoutes(
    defaults: FunctionDefaults,
    { earlier, engineConcurrency }: { readonly earlier: IDependable; readonly engineConcurrency: number },
  ): IDependable {
    let before = earlier
    for (const group of new Set(routes.map((route) => route.group))) {
      const stack = new NestedStack(this, constructId(group), { description: `Callplane endpoints: ${group}` })
      stack.node.addDependency(before)
      before = stack
      for (const route of routes.filter((route) => route.group === group)) {
        // Requests of tenants, and of callers without a credential, must not keep phones from registering.
        const reservedConcurrency = isOfEngine(route) ? engineConcurrency : 0
        const props = { ...defaults, api: this.api, route, reservedConcurrency }
        const { logGroup } = new Endpoint(stack, constructId(route.operationId), props)
        if (route.operationId === lookUpDialplan.operationId) {
          countLines(stack, logGroup, gatewayMetrics.group, gatewayMetrics.ambiguous)
        }
      }
    }
    return before
  }
}

function isOfEngine({ path }: Route): boolean {
  return path.startsWith('/engine/')
}

function preflightFor(origins: readonly string[]): CorsPreflightOptions {
  return {
    allowOrigins: [...origins],
    allowMethods: [...cors.methods.map((method) => CorsHttpMethod[method]), CorsHttpMethod.OPTIONS],
    allowHeaders: [...cors.requestHeaders],
    exposeHeaders: [...cors.exposedHeaders],
    maxAge: Duration.seconds(cors.maxAgeSeconds),
  }
}
