import type { ConnectorStatusStore } from '../../../core/connectors/connector-status-store.ts'
import { type MemoryContext, byText } from './memory-state.ts'

/** Reports of connectors in memory. */
export function memoryConnectorStatusStore({ state }: MemoryContext): ConnectorStatusStore {
  return {
    async report(report) {
      const known = state.connectors.get(report.connectorId)
      if (known === undefined || known.reportedAt <= report.reportedAt) state.connectors.set(report.connectorId, report)
    },
    async list(since) {
      return [...state.connectors.values()]
        .filter((report) => report.reportedAt >= since)
        .sort(byText((report) => report.connectorId))
    },
    async noteWait(wait) {
      state.stageWaits.set(wait.stage, wait)
    },
    async listWaits(since) {
      return [...state.stageWaits.values()].filter(({ at }) => at >= since).sort(byText(({ stage }) => stage))
    },
    async countStart() {
      const before = state.connectorStarts.count
      state.connectorStarts.count += 1
      return before
    },
  }
}
