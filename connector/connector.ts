import { composeConnector } from './compose.ts'
import type { ConnectorDeps } from './assembly/running.ts'
import { type ConnectorHealth, ownStatus, readHealth } from './health/connector-health.ts'
import { metricReporter, readMetrics } from './health/metrics.ts'
import { startLoops } from './start-loops.ts'
import { stopConnector } from './stop-connector.ts'

/** A connector at work. */
export interface Connector {
  health(): ConnectorHealth
  /**
   * Takes no more commands, hands what it has to the queues, at most for `graceMs`, then lets go of the engines and
   * writes waiting events to disk and reports how it ended, which takes up to 5 s more. Reports and metrics go on
   * meanwhile. Answers how many events are lost.
   */
  stop(graceMs: number): Promise<number>
}

/** Starts everything: the links, the intake of commands, the relay of events, the reports. */
export function startConnector(parts: ConnectorDeps): Connector {
  const running = composeConnector(parts)
  const status = ownStatus(running)
  const [stopping, stopped] = [new AbortController(), new AbortController()]
  const read = () => readMetrics(readHealth(running))
  const reporter = parts.metrics && metricReporter({ ...parts, metrics: parts.metrics, times: running.times, read })
  const loops = startLoops(running, status, stopping.signal)
  // Its lines are a sign of life, too, so they go on while it stops.
  void reporter?.follow(stopped.signal)
  return {
    health: () => readHealth(running),
    stop: (graceMs) => {
      stopping.abort()
      return stopConnector(running, status, loops, graceMs).finally(() => {
        stopped.abort()
        reporter?.write()
      })
    },
  }
}
