import { RemovalPolicy } from 'aws-cdk-lib'
import { CfnStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { logGroupName } from './stage.ts'

/** One JSON line a request. Headers and query are left out: they carry credentials and personal data. */
const line = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  sourceAddress: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  routeKey: '$context.routeKey',
  path: '$context.path',
  status: '$context.status',
  responseBytes: '$context.responseLength',
  responseMs: '$context.responseLatency',
  integrationMs: '$context.integrationLatency',
  integrationStatus: '$context.integrationStatus',
  integrationError: '$context.integrationErrorMessage',
}

/** The most requests at one moment that an account's gateway takes. */
const mostBurst = 5_000

/** The inputs of the stage. */
export interface LoggedStageProps {
  readonly apiId: string
  /** The deployment of the API that the stage serves. */
  readonly deploymentId: string
  /** The requests a second that the API takes; each route of engines takes as many of its own. */
  readonly requestsPerSecond: number
  /** The keys of the routes that engines call, which must exist before the stage. */
  readonly engineRouteKeys: readonly string[]
}

/** The stage that answers at the API's bare address, throttled and with a log line for each request. */
export class LoggedStage extends Construct {
  constructor(scope: Construct, id: string, props: LoggedStageProps) {
    super(scope, id)
    const { apiId, deploymentId, requestsPerSecond, engineRouteKeys } = props
    const { logGroupArn } = new LogGroup(this, 'Logs', {
      logGroupName: logGroupName(this, 'access'),
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    new CfnStage(this, 'Default', {
      apiId,
      stageName: '$default',
      deploymentId,
      // By default a tenth of what an account's gateway allows, so that one API cannot starve its neighbours.
      defaultRouteSettings: {
        throttlingRateLimit: requestsPerSecond,
        throttlingBurstLimit: Math.min(Math.ceil(requestsPerSecond / 2), mostBurst),
        // Figures of each route would cost more than the rest of the monitoring; alarms read those of the whole API.
        detailedMetricsEnabled: false,
      },
      routeSettings: Object.fromEntries(engineRouteKeys.map((key) => [key, routeSettings(requestsPerSecond)])),
      accessLogSettings: { destinationArn: logGroupArn, format: JSON.stringify(line) },
    })
  }
}

/** Settings of a route replace those of the stage: what is left out would be the service's default. */
function routeSettings(rate: number) {
  return { ThrottlingRateLimit: rate, ThrottlingBurstLimit: Math.min(rate, mostBurst), DetailedMetricsEnabled: false }
}
