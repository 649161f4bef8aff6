import { type Listening, listenings } from '../../core/connectors/listening.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import type { Clock } from '../../core/time.ts'

/** Reports come every 5 s: a connector that has not reported for so long after a link came up will hand over nothing. */
const silenceMs = 7_000

/** Clocks of two hosts differ by this much at most, and what is on its way between an engine and another host. */
export const slackMs = 1_000

/** An engine sends something every 20 s: after that no unread event is to be expected. */
const quietMs = 21_000

export interface PendingHandoverDeps {
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly connectorId: string
  readonly clock: Clock
}

/** When an engine's events were heard again. */
export interface HeardAgain {
  /** Epoch milliseconds. */
  readonly since: number
  /** The first event since then, by the engine's clock, epoch milliseconds; absent until there is one. */
  readonly firstAt: number | undefined
}

/**
 * Returns whether another connector may still hand over events that it read before this connector's link to the engine
 * was restored.
 */
export async function mayHandOver(
  { store, connectorId, clock }: PendingHandoverDeps,
  engine: string,
  again: HeardAgain,
): Promise<boolean> {
  const { since } = again
  try {
    const histories = listenings(await store.list(since - silenceMs), engine)
    return histories.some(
      (other) => other.connectorId !== connectorId && !other.hasStopped && isStillReading(other, again, clock.now()),
    )
  } catch {
    // Without the store nothing is known; events wait for it.
    return clock.now() < since + silenceMs
  }
}

/** A connector that is silent has died: what it read comes from its disk when it is started again. */
function isStillReading(other: Listening, again: HeardAgain, now: number): boolean {
  const listenedBefore = other.since !== undefined && other.since < again.since
  return listenedBefore && other.reportedAt >= now - silenceMs && !hasHandedOver(other, again)
}

/**
 * Both hear the events of an engine in one order. So a connector that has handed over one that came after the first that was
 * heard here has handed over all before it, however late it reads. Many events have the same time.
 */
function hasHandedOver(other: Listening, { since, firstAt }: HeardAgain): boolean {
  const { handedOverTo, engineHandedOverTo } = other
  if (firstAt === undefined || engineHandedOverTo === undefined) return handedOverTo >= since + slackMs
  return engineHandedOverTo > firstAt || handedOverTo >= since + quietMs
}
