import type { ConnectorStatusStore } from '../../core/status/connector-status-store.ts'

/** Two reports and a margin: whoever was silent for longer may be gone. */
export const silenceMs = 12_000

/** Reports are kept for a day. */
const reportsMs = 86_400_000

/** When an engine was last listened to by a connector that is gone, or has lost its link, and which process of it that was. */
export interface LastListener {
  /** Epoch milliseconds; absent while another connector listens that did so at that moment, too. */
  readonly until: number | undefined
  /** Empty when unknown. */
  readonly core: string
}

/**
 * Who listened to an engine last before this connector, as far as the reports of others tell; absent when none ever did.
 * Connectors that were started together after all had gone come to the same. Rejects when the store is gone.
 */
export async function lastListener(
  { store, connectorId, now }: { store: Pick<ConnectorStatusStore, 'list'>; connectorId: string; now: number },
  engine: string,
): Promise<LastListener | undefined> {
  const reports = await store.list(now - reportsMs)
  const listeners = reports
    .filter((report) => report.connectorId !== connectorId)
    .flatMap((report) =>
      (report.eventLinks ?? [])
        .filter((link) => link.engine === engine && (link.upSince > 0 || link.lostAt !== undefined))
        .map(({ last, upSince, lostAt }) => ({
          upSince,
          until: upSince === 0 && lostAt !== undefined ? lostAt : (report.stoppedAt ?? report.reportedAt),
          isGone: upSince === 0 || report.stoppedAt !== undefined || report.reportedAt < now - silenceMs,
          core: last.coreUuid,
        })),
    )
    .toSorted((a, b) => b.until - a.until)
  const [newest] = listeners
  const gone = listeners.find(({ isGone }) => isGone)
  const isHeard = listeners.some(({ isGone, upSince }) => !isGone && upSince <= (gone?.until ?? now))
  if (gone !== undefined && !isHeard) return { until: gone.until, core: gone.core }
  return newest && { until: undefined, core: newest.core }
}
