import { type ConnectorMetric, connectorMetrics, levelMetrics, timeMetrics } from '../../contracts/metrics.ts'
import type { Clock } from '../../core/ports.ts'

/** CloudWatch takes at most a hundred values of a metric in one line. */
export const maxValues = 100

/** Takes what was measured. */
export interface Metrics {
  /** Writes one line; of a list, the first hundred values. A list without any is left out. */
  put(values: Readonly<Partial<Record<ConnectorMetric, number | readonly number[]>>>): void
}

const times: ReadonlySet<string> = new Set(timeMetrics)

/**
 * Metrics as lines of the embedded metric format: CloudWatch Logs makes metrics of them, without a call by this process.
 * Numbers that are none are left out, since one of them would void the line.
 */
export function emfMetrics({
  clock,
  write,
}: {
  readonly clock: Clock
  readonly write: (line: string) => void
}): Metrics {
  const { namespace, dimension, service } = connectorMetrics
  return {
    put: (values) => {
      const given = Object.entries(values).flatMap(([name, value]) => {
        const kept = typeof value === 'number' ? [value] : value.slice(0, maxValues)
        const finite = kept.filter(Number.isFinite)
        return finite.length === 0 ? [] : [[name, typeof value === 'number' ? finite[0] : finite] as const]
      })
      if (given.length === 0) return
      const Metrics = given.map(([Name]) => ({ Name, Unit: unitOf(Name) }))
      const CloudWatchMetrics = [{ Namespace: namespace, Dimensions: [[dimension]], Metrics }]
      const line = { _aws: { Timestamp: clock.now(), CloudWatchMetrics }, [dimension]: service }
      write(JSON.stringify({ ...line, ...Object.fromEntries(given) }))
    },
  }
}

function unitOf(name: string): string {
  if (times.has(name)) return 'Milliseconds'
  return Object.hasOwn(levelMetrics, name) ? levelMetrics[name as keyof typeof levelMetrics] : 'Count'
}
