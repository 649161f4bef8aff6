import { Metrics as EmbeddedMetrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import {
  type ConnectorMetric,
  connectorMetrics,
  levelMetrics,
  metricNamespace,
  timeMetrics,
} from '../../contracts/metrics.ts'
import type { Clock } from '../../core/time.ts'

/** Values of a metric in one line. The library writes a line of its own accord when a metric has a hundred. */
export const maxValues = 99

/** Records measurements. */
export interface Metrics {
  /** Writes one line; of a list, the first {@link maxValues}. A list without any is left out. */
  put(values: Readonly<Partial<Record<ConnectorMetric, number | readonly number[]>>>): void
}

const times: ReadonlySet<string> = new Set(timeMetrics)

/**
 * Metrics as lines of the embedded metric format: CloudWatch Logs makes metrics of them, without a call by this
 * process. Infinite values and those that are no number are left out, since one of them would void the line.
 */
export function emfMetrics({
  clock,
  write,
  stage = '',
}: {
  readonly clock: Clock
  readonly write: (line: string) => void
  readonly stage?: string
}): Metrics {
  const { group, service } = connectorMetrics
  const metrics = new EmbeddedMetrics({ namespace: metricNamespace(group, stage), serviceName: service })
  return {
    put: (values) => {
      const finite = Object.entries(values).flatMap(([name, value]) =>
        [value]
          .flat()
          .filter(Number.isFinite)
          .slice(0, maxValues)
          .map((each) => [name, each] as const),
      )
      if (finite.length === 0) return
      for (const [name, value] of finite) metrics.addMetric(name, unitOf(name), value)
      const line = metrics.serializeMetrics()
      line._aws.Timestamp = clock.now()
      metrics.clearMetrics()
      write(JSON.stringify(line))
    },
  }
}

function unitOf(name: string): (typeof MetricUnit)[keyof typeof MetricUnit] {
  if (times.has(name)) return MetricUnit.Milliseconds
  return Object.hasOwn(levelMetrics, name) ? levelMetrics[name as keyof typeof levelMetrics] : MetricUnit.Count
}
