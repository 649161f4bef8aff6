import { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { type ConnectorMetric, type CountMetric, type LevelMetric, connectorMetrics } from '../../contracts/metrics.ts'

/** What all connectors measured together, minute by minute. A time has percentiles, a count its sum, a level its highest. */
export function connectorMetric(name: ConnectorMetric, statistic: 'Sum' | 'Maximum' | 'p50' | 'p99'): Metric {
  const { namespace, dimension, service } = connectorMetrics
  return new Metric({
    namespace,
    metricName: name,
    statistic,
    dimensionsMap: { [dimension]: service },
    period: Duration.minutes(1),
  })
}

/** Counts, each with its sum. */
export function sums(...names: CountMetric[]): Metric[] {
  return names.map((name) => connectorMetric(name, 'Sum'))
}

/** Levels, each at its highest. */
export function tops(...names: LevelMetric[]): Metric[] {
  return names.map((name) => connectorMetric(name, 'Maximum'))
}
