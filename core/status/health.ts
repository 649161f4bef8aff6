import type { ConnectorStatusStore } from '../ports.ts'
import { hearsEngine, reportLifeMs } from './connectors.ts'

/**
 * Whether every part is up: the store answers, and at least one connector reported lately that it hears its engine.
 * A store that fails is a part that is down, so this never rejects.
 */
export async function isHealthy(connectors: Pick<ConnectorStatusStore, 'list'>, now: number): Promise<boolean> {
  const reports = await connectors.list(now - reportLifeMs).catch(() => [])
  return reports.some((report) => hearsEngine(report, now))
}
