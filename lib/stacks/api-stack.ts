import { createHash } from 'node:crypto'
import { ArnFormat, CfnOutput, Stack, type StackProps, Token, Validations } from 'aws-cdk-lib'
import { CfnApi, CfnDeployment, HttpApi, type IHttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Construct, IDependable } from 'constructs'
import { gatewayMetrics } from '../../contracts/metrics.ts'
import * as platform from '../../contracts/settings/platform.ts'
import { lookUpDialplan } from '../../contracts/routes/engine.ts'
import { routes } from '../../contracts/routes/index.ts'
import { needsOf } from '../../contracts/routes/route.ts'
import { apiSkeleton, engineRouteKeys, isOfEngine } from '../api-skeleton.ts'
import { endpointName, endpointPrefix } from '../constructs/endpoint-name.ts'
import { countLines } from '../constructs/line-count.ts'
import { LoggedStage } from '../constructs/logged-stage.ts'
import {
  type FunctionDefaults,
  PlatformFunction,
  type PlatformFunctionProps,
  functionLogs,
} from '../constructs/platform-function.ts'
import { constructId } from '../constructs/resources.ts'
import { staged } from '../constructs/stage.ts'
import { handlerOf, unmatched } from '../handlers.ts'

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

/** The gateway waits 29 s, and a handler answers within 28 s of its own accord. */
export const endpointTimeoutSeconds = 29

/**
 * The HTTP API, imported from a skeleton of the routes, and one function for each route. A deployment of the API takes
 * new routes into use after their functions are there; functions of former routes are deleted after that.
 */
export class ApiStack extends Stack {
  readonly api: IHttpApi

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    // Without indentation it is two thirds of the megabyte that a template may have.
    super(scope, id, { ...props, suppressTemplateIndentation: true })
    const gateway = new CfnApi(this, 'Api')
    const { ref: httpApiId, attrApiEndpoint: apiEndpoint } = gateway
    this.api = HttpApi.fromHttpApiAttributes(this, 'Imported', { httpApiId, apiEndpoint })
    const publicUrl = props.publicUrl === '' ? apiEndpoint : props.publicUrl
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
    const functions = [this.answerUnmatched(defaults), ...this.answerRoutes(defaults, props.engineConcurrency)]
    // It names the functions and does not refer to them, because they refer to the address of the API.
    gateway.body = apiSkeleton(routes, {
      title: staged(this, 'callplane', '-'),
      allowedOrigins: props.allowedOrigins,
      addressOf: (operationId) => this.addressOf(operationId),
      role: this.invoker().roleArn,
    })
    new LoggedStage(this, 'Stage', {
      apiId: gateway.ref,
      deploymentId: this.deployRoutes(gateway, functions).ref,
      requestsPerSecond: props.requestsPerSecond,
      engineRouteKeys: engineRouteKeys(routes),
    })
    new CfnOutput(this, 'PublicUrl', { value: publicUrl, description: 'Base address of the API' })
  }

  private answerUnmatched(defaults: FunctionDefaults): IDependable {
    return this.answer(unmatched.declaration, {
      ...defaults,
      handler: unmatched,
      summary: 'Answer unknown paths, wrong methods and aliases',
      needs: {},
      memoryMb: 512,
      timeoutSeconds: endpointTimeoutSeconds,
    })
  }

  /** Makes the functions of all routes. Those of a resource group share a log group. */
  private answerRoutes(defaults: FunctionDefaults, engineConcurrency: number): IDependable[] {
    return [...Map.groupBy(routes, ({ group }) => group)].flatMap(([group, own]) => {
      const logGroup = functionLogs(this, `${constructId(group)}Logs`, group)
      if (own.includes(lookUpDialplan)) countLines(this, logGroup, gatewayMetrics.group, gatewayMetrics.ambiguous)
      return own.map((route) =>
        this.answer(route.operationId, {
          ...defaults,
          logGroup,
          handler: handlerOf(route.group, route.operationId, route.files),
          summary: route.summary,
          needs: needsOf(route),
          memoryMb: route.memoryMb ?? 512,
          timeoutSeconds: route.timeoutSeconds ?? endpointTimeoutSeconds,
          // Requests of tenants, and of callers without a credential, must not keep phones from registering.
          reservedConcurrency: isOfEngine(route) ? engineConcurrency : 0,
        }),
      )
    })
  }

  private answer(operationId: string, props: PlatformFunctionProps): IDependable {
    const [id, functionName] = [idOf(operationId), endpointName(this, idOf(operationId))]
    return new PlatformFunction(this, id, { ...props, functionName }).function
  }

  private addressOf(operationId: string): string {
    const resourceName = `${this.functionArn(endpointName(this, idOf(operationId)))}/invocations`
    const resource = 'path/2015-03-31/functions'
    return this.formatArn({ service: 'apigateway', account: 'lambda', resource, resourceName })
  }

  private functionArn(resourceName: string): string {
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME
    return this.formatArn({ service: 'lambda', resource: 'function', resourceName, arnFormat })
  }

  /** Makes the role with which the gateway invokes the functions of this stage's endpoints, and no others. */
  private invoker(): Role {
    const names = `${endpointPrefix(this)}*`
    const statements = [
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.functionArn(names)] }),
    ]
    const role = new Role(this, 'Invoker', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { invoke: new PolicyDocument({ statements }) },
    })
    const [partition, region] = Token.isUnresolved(this.region)
      ? ['<AWS::Partition>', '<AWS::Region>']
      : ['aws', this.region]
    const account = Token.isUnresolved(this.account) ? '<AWS::AccountId>' : this.account
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:${partition}:lambda:${region}:${account}:function:${names}]`,
      reason: 'These are the functions of the API, one for each endpoint, whose names have this start.',
    })
    return role
  }

  /** Makes a deployment of the API, and another one whenever its routes change. */
  private deployRoutes(gateway: CfnApi, functions: readonly IDependable[]): CfnDeployment {
    const digest = createHash('sha256')
      .update(JSON.stringify(this.resolve(gateway.body)))
      .digest('hex')
    const deployment = new CfnDeployment(this, `Deployment${digest.slice(0, 8)}`, { apiId: gateway.ref })
    deployment.node.addDependency(...functions)
    return deployment
  }
}

/** Returns the id of an operation's construct; that of `$default` is `Unmatched`. */
function idOf(operationId: string): string {
  return operationId === unmatched.declaration ? 'Unmatched' : constructId(operationId)
}
