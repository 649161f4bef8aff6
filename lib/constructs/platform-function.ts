import { CfnResource, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, Code, Function, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { type Build, type Handler, functionFolder } from '../handlers.ts'
import { type Needs, acknowledgeInsides, environmentOf, statementsOf } from './grants.ts'
import type { Resources } from './resources.ts'

/** The settings that all functions of a stack share. */
export interface FunctionDefaults {
  readonly build: Build
  readonly resources: Resources
  /** Settings of the deployment, named as in contracts/environment.ts. */
  readonly environment: Readonly<Record<string, string>>
  readonly isTraced: boolean
}

/** The inputs of one function. */
export interface PlatformFunctionProps extends FunctionDefaults {
  readonly handler: Handler
  readonly summary: string
  readonly needs: Needs
  readonly memoryMb: number
  readonly timeoutSeconds: number
  readonly triggerGrants?: readonly PolicyStatement[]
  /** How many calls always can run at once, and at most; 0 or none: they share the concurrency of the account. */
  readonly reservedConcurrency?: number
  /** By default CloudFormation makes one up. */
  readonly functionName?: string
  /** By default the function has one of its own. */
  readonly logGroup?: LogGroup
}

/** Makes a log group of functions. */
export function functionLogs(scope: Construct, id: string): LogGroup {
  return new LogGroup(scope, id, { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY })
}

/** A function with its own role, which allows what its needs name and writing its log, and nothing else. */
export class PlatformFunction extends Construct {
  readonly function: Function
  readonly role: Role
  readonly logGroup: LogGroup

  constructor(scope: Construct, id: string, props: PlatformFunctionProps) {
    super(scope, id)
    this.logGroup = props.logGroup ?? functionLogs(this, 'Logs')
    this.role = this.makeRole(this.logGroup, props)
    acknowledgeInsides(this.role, props.needs)
    this.function = new Function(this, 'Function', {
      description: props.summary,
      ...(props.functionName === undefined ? {} : { functionName: props.functionName }),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(functionFolder(props.build, props.handler)),
      memorySize: props.memoryMb,
      timeout: Duration.seconds(props.timeoutSeconds),
      // With tracing it would get a policy of its own, which says what is in the role already.
      role: this.role.withoutPolicyUpdates(),
      logGroup: this.logGroup,
      ...(props.isTraced ? { tracing: Tracing.ACTIVE } : {}),
      ...(props.reservedConcurrency ? { reservedConcurrentExecutions: props.reservedConcurrency } : {}),
      environment: { ...props.environment, ...environmentOf(props.needs, props.resources) },
    })
    if (props.isTraced) acknowledgeTracing(this.role)
    this.recordHandler(props.handler)
  }

  private recordHandler({ name, declaration }: Handler): void {
    const resource = this.function.node.defaultChild
    if (CfnResource.isCfnResource(resource)) resource.addMetadata('callplane', { handler: name, declaration })
  }

  /** Does not use the managed basic role, which may write to every log group of the account. */
  private makeRole(
    logGroup: LogGroup,
    { needs, resources, isTraced, triggerGrants = [] }: PlatformFunctionProps,
  ): Role {
    const writeLogs = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    })
    const traces = isTraced ? [new PolicyStatement({ actions: traceActions, resources: ['*'] })] : []
    const statements = [writeLogs, ...statementsOf(needs, resources), ...triggerGrants, ...traces]
    return new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { needs: new PolicyDocument({ statements }) },
    })
  }
}

/** The actions by which Lambda hands the record of a call to X-Ray; they know no narrower resource than all. */
const traceActions = ['xray:PutTelemetryRecords', 'xray:PutTraceSegments']

function acknowledgeTracing(role: Role): void {
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: `${traceActions.join(' and ')}, by which Lambda records calls, know no narrower resource.`,
  })
}
