import { RemovalPolicy } from 'aws-cdk-lib'
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import { type HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'

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

/** The stage that answers at the API's bare address, throttled and with a log line for each request. */
export class LoggedStage extends Construct {
  constructor(scope: Construct, id: string, { api }: { readonly api: HttpApi }) {
    super(scope, id)
    const logs = new LogGroup(this, 'Logs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    new HttpStage(this, 'Default', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      // Figures of each route would cost more than the rest of the monitoring; alarms read those of the whole API.
      detailedMetricsEnabled: false,
      // A tenth of what an account's functions and gateway allow, so that one API cannot starve its neighbours.
      throttle: { rateLimit: 1000, burstLimit: 500 },
      accessLogSettings: {
        destination: new LogGroupLogDestination(logs),
        format: AccessLogFormat.custom(JSON.stringify(line)),
      },
    })
  }
}
