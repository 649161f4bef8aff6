import { Duration } from 'aws-cdk-lib'
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { RunbookAlarm } from './runbook-alarm.ts'

const fiveMinutes = Duration.minutes(5)
const sum = { period: fiveMinutes, statistic: 'Sum' }

/** The part of a quota whose use is worth an alarm. */
const usedPart = 0.8

/** How many functions the account may run at once. */
export interface AccountAlarmsProps {
  readonly concurrencyQuota: number
}

/**
 * The alarms on what all functions and all tables share: the quotas of the account. Their metrics are of the whole
 * account and region, so they also see what else runs there.
 */
export class AccountAlarms extends Construct {
  constructor(scope: Construct, id: string, { concurrencyQuota }: AccountAlarmsProps) {
    super(scope, id)
    new RunbookAlarm(this, 'Concurrency', {
      article: 'The concurrency of functions runs out',
      severity: 'page',
      impact: 'Four fifths of the functions that may run at once are taken: soon requests fail, and events come late.',
      // What runs, and what is reserved: Lambda refuses calls when both reach the quota.
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'ClaimedAccountConcurrency',
        statistic: 'Maximum',
        period: Duration.minutes(1),
      }),
      threshold: usedPart * concurrencyQuota,
      periods: 5,
    })
    new RunbookAlarm(this, 'FunctionThrottles', {
      article: 'Functions are throttled',
      severity: 'page',
      impact: 'Functions are refused for want of concurrency: requests fail with a 5xx, and events and CDRs come late.',
      metric: LambdaFunction.metricAllThrottles(sum),
      // A queue's consumers are refused now and then while they grow, and call again.
      threshold: 50,
      periods: 2,
    })
    new RunbookAlarm(this, 'FunctionErrors', {
      article: 'Functions fail',
      severity: 'page',
      impact:
        'Functions end with errors: messages are tried again and again, and reach the dead-letter queues in hours.',
      metric: LambdaFunction.metricAllErrors(sum),
      // Handlers answer failures and report failed messages, so an error is a crash or a time limit.
      threshold: 20,
      periods: 2,
    })
    new RunbookAlarm(this, 'StoreThrottles', {
      article: 'DynamoDB throttles',
      severity: 'ticket',
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
    })
  }
}
