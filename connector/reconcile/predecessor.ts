import type { ConnectorStatusStore } from '../../core/ports.ts'

/** Two reports and a margin: whoever was silent for longer may be gone. */
const silenceMs = 12_000

/** Reports are kept for a day. */
const reportsMs = 86_400_000

/** When an engine was last listened to before this connector did, and which process of it that was. */
export interface LastListener {
  /** Epoch milliseconds; absent while another connector listens that has listened since before this one did. */
  readonly until: number | undefined
  /** Empty when unknown. */
  readonly core: string
}

/** What asking for the last listener needs. */
export interface ListenerParts {
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly connectorId: string
  readonly now: number
  /** Since when this connector listens, epoch milliseconds. */
  readonly upSince: number
}

/**
 * Who listened to an engine last before this connector, as far as the reports of others tell; absent when none ever did.
 * Of connectors that were started together the first finds what nobody heard, and the others leave that to it. Rejects
 * when the store is gone.
 */
export async function lastListener(
  { store, connectorId, now, upSince }: ListenerParts,
  engine: string,
): Promise<LastListener | undefined> {
  const reports = await store.list(now - reportsMs)
  const listeners = reports
    .filter((report) => report.connectorId !== connectorId)
    .flatMap((report) =>
      (report.eventLinks ?? [])
        .filter((link) => link.engine === engine && link.upSince > 0 && link.upSince < upSince)
        .map(({ last }) => ({
          until: report.stoppedAt ?? report.reportedAt,
          isGone: report.stoppedAt !== undefined || report.reportedAt < now - silenceMs,
          core: last.coreUuid,
        })),
    )
    .toSorted((a, b) => b.until - a.until)
  const [newest] = listeners
  if (newest === undefined) return undefined
  return { until: listeners.every(({ isGone }) => isGone) ? newest.until : undefined, core: newest.core }
}
