import { CfnResource, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { accessOf } from '../../contracts/access/access.ts'
import { environment as names } from '../../contracts/environment.ts'
import { readStatus } from '../../contracts/routes/status.ts'
import { logLevel } from '../../contracts/settings/platform.ts'
import { oneOf, readText } from '../../contracts/settings/setting.ts'
import { type Build, type Handler, functionFolder } from '../handlers.ts'
import { type Needs, acknowledgeInsides, environmentOf, statementsOf } from './grants.ts'
import type { Resources } from './resources.ts'
import { joinActions } from './search-network.ts'
import { logGroupName } from './stage.ts'

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

/** Makes a log group of functions, with a name such as `cdr` or `cdr/cdr-index` after the stage. */
export function functionLogs(scope: Construct, id: string, name: string): LogGroup {
  return new LogGroup(scope, id, {
    logGroupName: logGroupName(scope, name),
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  })
}

/** A function with its own role, which allows what its needs name and writing its log, and nothing else. */
export class PlatformFunction extends Construct {
  readonly function: Function
  readonly role: Role
  readonly logGroup: LogGroup

  constructor(scope: Construct, id: string, props: PlatformFunctionProps) {
    super(scope, id)
    this.logGroup = props.logGroup ?? functionLogs(this, 'Logs', props.handler.name)
    const network = accessOf(props.needs).some((granted) => 'search' in granted)
      ? props.resources.searchNetwork
      : undefined
    // A version alone changes no other function.
    const { [names.buildVersion]: version = '', ...environment } = props.environment
    const tellsVersion = props.handler.declaration === readStatus.operationId
    const unbounded = [...(props.isTraced ? traceActions : []), ...(network === undefined ? [] : joinActions)]
    this.role = this.makeRole(this.logGroup, unbounded, props)
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
      // Without the three lines that Lambda writes about each call; those about failed calls are warnings.
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: SystemLogLevel.WARN,
      // The logger takes this level, and not that of its variable, from Lambda.
      applicationLogLevelV2: applicationLevel(props.environment),
      ...(props.isTraced ? { tracing: Tracing.ACTIVE } : {}),
      ...(network && { vpc: network.vpc, vpcSubnets: network.subnets, securityGroups: [network.clients] }),
      ...(props.reservedConcurrency ? { reservedConcurrentExecutions: props.reservedConcurrency } : {}),
      environment: {
        ...environment,
        ...(tellsVersion && { [names.buildVersion]: version }),
        ...environmentOf(props.needs, props.resources),
      },
    })
    if (unbounded.length > 0) acknowledgeUnbounded(this.role)
    this.recordHandler(props.handler)
  }

  private recordHandler({ name, declaration }: Handler): void {
    const resource = this.function.node.defaultChild
    if (CfnResource.isCfnResource(resource)) resource.addMetadata('callplane', { handler: name, declaration })
  }

  /** Does not use the managed basic role, which may write to every log group of the account. */
  private makeRole(
    logGroup: LogGroup,
    unbounded: string[],
    { needs, resources, triggerGrants = [] }: PlatformFunctionProps,
  ): Role {
    const writeLogs = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    })
    const others = unbounded.length > 0 ? [new PolicyStatement({ actions: unbounded, resources: ['*'] })] : []
    const statements = [writeLogs, ...statementsOf(needs, resources), ...triggerGrants, ...others]
    return new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { needs: new PolicyDocument({ statements }) },
    })
  }
}

function applicationLevel(environment: FunctionDefaults['environment']): ApplicationLogLevel {
  const level = (environment[logLevel.variable] ?? logLevel.fallback).toUpperCase()
  return readText(oneOf(...Object.values(ApplicationLogLevel)), level, logLevel.context)
}

/** The actions by which Lambda hands the record of a call to X-Ray; they know no narrower resource than all. */
const traceActions = ['xray:PutTelemetryRecords', 'xray:PutTraceSegments']

function acknowledgeUnbounded(role: Role): void {
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'The actions by which Lambda records calls, or joins a function to a network, know no narrower resource.',
  })
}
