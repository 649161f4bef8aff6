import { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { type ConnectorMetric, type CountMetric, type LevelMetric, connectorMetrics } from '../../contracts/metrics.ts'
import { namespaceOf } from './stage.ts'

/**
 * Returns the combined metric of all connectors, minute by minute. A time has percentiles, a count its sum, a level its
 * highest.
 */
export function connectorMetric(name: ConnectorMetric, statistic: 'Sum' | 'Maximum' | 'p50' | 'p99'): Metric {
  const { group, dimension, service } = connectorMetrics
  return new Metric({
    namespace: namespaceOf(group),
    metricName: name,
    statistic,
    dimensionsMap: { [dimension]: service },
    period: Duration.minutes(1),
  })
}

/** Returns counts, each with its sum. */
export function sums(...names: CountMetric[]): Metric[] {
  return names.map((name) => connectorMetric(name, 'Sum'))
}

/** Returns levels, each at its highest. */
export function tops(...names: LevelMetric[]): Metric[] {
  return names.map((name) => connectorMetric(name, 'Maximum'))
}
