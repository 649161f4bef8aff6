import type { ConnectorStatusStore } from '../connectors/connector-status-store.ts'
import { engineViews, reportLifeMs } from '../connectors/connectors.ts'

/**
 * Returns whether every part is up: the store answers, and each recently reported engine is connected to at least one
 * connector. A store that fails is a part that is down, so this never rejects.
 */
export async function isHealthy(connectors: Pick<ConnectorStatusStore, 'list'>, now: number): Promise<boolean> {
  const reports = await connectors.list(now - reportLifeMs).catch(() => [])
  const engines = engineViews(reports, now)
  return engines.length > 0 && engines.every(({ connected }) => connected)
}
