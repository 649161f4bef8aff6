import { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { MetricGroup } from '../../contracts/metrics.ts'
import { namespaceOf } from './stage.ts'

/**
 * Makes a metric that counts the lines of a log with a message, or with this text in another field. The metric's name
 * is the construct's id.
 */
export function countLines(
  scope: Construct,
  logGroup: ILogGroup,
  group: MetricGroup,
  { name, message, field = 'message' }: { readonly name: string; readonly message: string; readonly field?: string },
): void {
  new MetricFilter(scope, name, {
    logGroup,
    filterPattern: FilterPattern.stringValue(`$.${field}`, '=', message),
    metricNamespace: namespaceOf(group),
    metricName: name,
    metricValue: '1',
  })
}

/** Returns a metric of {@link countLines}: how many lines there were in each minute. */
export function lineSum(group: MetricGroup, { name }: { readonly name: string }): Metric {
  return new Metric({
    namespace: namespaceOf(group),
    metricName: name,
    statistic: 'Sum',
    period: Duration.minutes(1),
  })
}
