import { freshReports, reliedOnMs } from '../../core/connectors/connectors.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import { type Engine, isHealthy, isReady } from '../runtime/engine.ts'
import type { Time } from '../../core/concurrency/timers.ts'

/** A link that was lost for a moment comes back within this; so does one that is opened at the start. */
const graceMs = 2_000

/** How long reports of the other connectors count as current. */
const keptMs = 1_000

/**
 * Whether commands are to be taken: `fit` while an engine can be given all of them, or, where no other connector could
 * do more, those that need no events of it; `waiting` for the short time in which a
 * link is expected back; `unfit` when other connectors have an engine, and this one would only refuse what they can
 * do; `alone` when no connector has one, so that the caller is refused at once.
 */
export type Fitness = 'fit' | 'waiting' | 'unfit' | 'alone'

export interface FitnessDeps extends Pick<Time, 'clock'> {
  readonly engines: readonly {
    readonly commands: Pick<Engine['commands'], 'state'>
    readonly events: Pick<Engine['events'], 'state'>
  }[]
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly connectorId: string
}

/**
 * Makes a judge of the connector's fitness, which judges anew each time. Other connectors whose reports cannot be read
 * count as unfit.
 */
export function fitnessJudge({ engines, store, connectorId, clock }: FitnessDeps): () => Promise<Fitness> {
  let lostAt: number | undefined
  let others = { areFit: false, readAt: Number.NEGATIVE_INFINITY }

  const read = async () => {
    const now = clock.now()
    const reports = await store.list(now - reliedOnMs).catch(() => [])
    const areFit = freshReports(reports, now, reliedOnMs).some(
      (report) => report.connectorId !== connectorId && report.engines.some(({ connected }) => connected),
    )
    others = { areFit, readAt: now }
  }

  return async () => {
    const canOrder = engines.some(({ commands }) => isReady(commands))
    if (canOrder) lostAt = undefined
    if (engines.some(isHealthy)) return 'fit'
    if (!canOrder) lostAt ??= clock.now()
    if (lostAt !== undefined && clock.now() - lostAt < graceMs) return 'waiting'
    if (clock.now() - others.readAt >= keptMs) await read()
    if (others.areFit) return 'unfit'
    return canOrder ? 'fit' : 'alone'
  }
}
