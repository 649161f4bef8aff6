import { reliedOnMs } from '../../core/connectors/connectors.ts'
import { hasListenedSince, listenings } from '../../core/connectors/listening.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'

const reportsMs = 86_400_000

/** When a connector that is gone or lost its link last heard an engine, and which process of it that was. */
export interface LastListener {
  /** Epoch milliseconds; absent while another connector listens that did so at that moment, too. */
  readonly until: number | undefined
  /** Empty when unknown. */
  readonly core: string
}

/**
 * Returns which connector was the last to be connected to an engine before this one, by the reports of others;
 * `undefined` if none ever was. Connectors that start together after all others had gone get the same answer. Rejects
 * if the store is away.
 */
export async function lastListener(
  { store, connectorId, now }: { store: Pick<ConnectorStatusStore, 'list'>; connectorId: string; now: number },
  engine: string,
): Promise<LastListener | undefined> {
  const histories = listenings(await store.list(now - reportsMs), engine)
  const listeners = histories
    .filter((one) => one.connectorId !== connectorId && (one.since ?? one.lostAt) !== undefined)
    .map((one) => ({
      since: one.since,
      core: one.last.coreUuid,
      until: one.since === undefined ? one.heardTo : one.aliveAt,
      isGone: one.since === undefined || one.hasStopped || one.reportedAt < now - reliedOnMs,
    }))
    .toSorted((a, b) => b.until - a.until)
  const [newest] = listeners
  const gone = listeners.find(({ isGone }) => isGone)
  const isHeard = listeners.some((one) => !one.isGone && hasListenedSince(one, gone?.until ?? now))
  if (gone !== undefined && !isHeard) return { until: gone.until, core: gone.core }
  return newest && { until: undefined, core: newest.core }
}

/** Returns the names of an engine's process in reports of the last day, including its former addresses. */
export async function namesOfCore(
  { store, now }: { readonly store: Pick<ConnectorStatusStore, 'list'>; readonly now: number },
  core: string,
): Promise<readonly string[]> {
  const links = (await store.list(now - reportsMs)).flatMap(({ eventLinks }) => eventLinks)
  return [...new Set(links.filter(({ last }) => last.coreUuid === core).map(({ engine }) => engine))]
}
