import type { Metrics } from '../../adapters/metrics/emf-metrics.ts'
import {
  type CountMetric,
  type TimeMetric,
  countMetrics,
  lineMetric,
  metricSeconds,
  timeMetrics,
} from '../../contracts/metrics.ts'
import { type Timers, pause } from '../../core/concurrency/timers.ts'
import type { MetricReading } from './read-metrics.ts'
import type { Times } from '../runtime/times.ts'

/**
 * Lines in which a level is written as 0 after a start, and after it has become 0: ten minutes, twice the longest time
 * that an alarm looks at. CloudWatch evaluates an alarm by earlier values, also those of the process before, while the
 * latest are missing.
 */
const zeroLines = 600 / metricSeconds

export interface MetricDeps {
  readonly metrics: Metrics
  readonly read: () => MetricReading
  readonly times: Readonly<Record<TimeMetric, Times>>
  readonly timers: Timers
}

/** Writes the metrics of one process. */
export interface MetricReporter {
  /** Writes a line every 30 s until aborted. */
  follow(signal: AbortSignal): Promise<void>
  /** Writes what has happened since the last line. The last one of a process is written when all else is over. */
  write(): void
}

/**
 * Makes a reporter. Totals are counted from 0 at the start of the process, so that each line counts what came since the
 * one before, and the first one all of it: nothing is counted twice, nor left out. A count of 0 is not written, nor is
 * a level that has been 0 for ten minutes, since CloudWatch charges each metric for each hour in which it gets a value,
 * and alarms treat a missing value as 0. `lineMetric` is in each line. What a killed process had counted since its last
 * line, 30 s at most, is lost.
 */
export function metricReporter({ metrics, read, times, timers }: MetricDeps): MetricReporter {
  let reported: Partial<Record<CountMetric, number>> = {}
  const zerosLeft = new Map<string, number>()
  const isWritten = ([name, level]: readonly [string, number]) => {
    const left = level === 0 ? (zerosLeft.get(name) ?? zeroLines) : zeroLines + 1
    zerosLeft.set(name, Math.max(0, left - 1))
    return left > 0 || name === lineMetric
  }
  const write = () => {
    const { totals, levels } = read()
    const counts = countMetrics
      .map((name) => [name, totals[name] - (reported[name] ?? 0)] as const)
      .filter(([, count]) => count > 0)
    const taken = timeMetrics.map((name) => [name, times[name].take()] as const)
    reported = { ...totals }
    const kept = Object.entries(levels).filter(isWritten)
    metrics.put(Object.fromEntries([...counts, ...taken, ...kept]))
  }
  return {
    write,
    follow: async (signal) => {
      while (!signal.aborted) {
        await pause(timers, metricSeconds * 1_000, signal)
        if (!signal.aborted) write()
      }
    },
  }
}
