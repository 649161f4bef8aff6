import { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import {
  type ConnectorMetric,
  type CountMetric,
  type LevelMetric,
  connectorMetrics,
  lineMetric,
  metricSeconds,
} from '../../contracts/metrics.ts'
import { namespaceOf } from './stage.ts'

type ConnectorStatistic = 'Sum' | 'Maximum' | 'SampleCount' | 'p50' | 'p99'

/**
 * Returns the combined metric of all connectors, minute by minute. A time has percentiles, a count its sum, a level its
 * highest.
 */
export function connectorMetric(name: ConnectorMetric, statistic: ConnectorStatistic): Metric {
  const { group, dimension, service } = connectorMetrics
  return new Metric({
    namespace: namespaceOf(group),
    metricName: name,
    statistic,
    dimensionsMap: { [dimension]: service },
    period: Duration.minutes(1),
  })
}

const lineMinutes = 5

/** Returns how many lines of metrics all connectors wrote in five minutes. Each writes one every 30 s. */
export function connectorLines(): Metric {
  return connectorMetric(lineMetric, 'SampleCount').with({ period: Duration.minutes(lineMinutes) })
}

/**
 * Returns the least lines of five minutes when this many connectors run: half of those of one may be missing, or come
 * late.
 */
export function leastLines(connectors: number): number {
  return ((connectors - 0.5) * lineMinutes * 60) / metricSeconds
}

/** Returns counts, each with its sum. */
export function sums(...names: CountMetric[]): Metric[] {
  return names.map((name) => connectorMetric(name, 'Sum'))
}

/** Returns levels, each at its highest. */
export function tops(...names: LevelMetric[]): Metric[] {
  return names.map((name) => connectorMetric(name, 'Maximum'))
}
