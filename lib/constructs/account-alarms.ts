import { Duration } from 'aws-cdk-lib'
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import { RunbookAlarm } from './runbook-alarm.ts'

const fiveMinutes = Duration.minutes(5)
const sum = { period: fiveMinutes, statistic: 'Sum' }

/**
 * The alarms on what all functions and all tables share: the quotas of the account. Their metrics are of the whole
 * account and region, so they also see what else runs there.
 */
export class AccountAlarms extends Construct {
  constructor(scope: Construct, id: string, { onCall }: { readonly onCall: ITopic }) {
    super(scope, id)
    new RunbookAlarm(this, 'FunctionThrottles', {
      article: 'Functions are throttled',
      impact: 'Functions are refused for want of concurrency: requests fail with a 5xx, and events and CDRs come late.',
      metric: LambdaFunction.metricAllThrottles(sum),
      // A queue's consumers are refused now and then while they grow, and call again.
      threshold: 50,
      periods: 2,
      onCall,
    })
    new RunbookAlarm(this, 'FunctionErrors', {
      article: 'Functions fail',
      impact:
        'Functions end with errors: messages are tried again and again, and reach the dead-letter queues in hours.',
      metric: LambdaFunction.metricAllErrors(sum),
      // Handlers answer failures and report failed messages, so an error is a crash or a time limit.
      threshold: 20,
      periods: 2,
      onCall,
    })
    new RunbookAlarm(this, 'StoreThrottles', {
      article: 'DynamoDB throttles',
      impact: 'DynamoDB refuses calls on a busy partition: requests are answered late or with 503, and events wait.',
      metric: new MathExpression({
        // A metric for each table and operation exists only once it was throttled, so no list of them can be kept.
        expression: 'SELECT SUM(ThrottledRequests) FROM SCHEMA("AWS/DynamoDB", Operation, TableName)',
        period: fiveMinutes,
        label: 'throttled calls',
      }),
      // The clients repeat a throttled call twice.
      threshold: 100,
      periods: 2,
      onCall,
    })
  }
}
