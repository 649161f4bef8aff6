import type { ConnectorReport, EventLinkReport } from '../../core/connectors/connector-report.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import { freshReports, reliedOnMs } from '../../core/connectors/connectors.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'

/** Connectors report this often, and are looked at as often. */
const lookMs = 5_000

export interface StoringPeerDeps extends Time {
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly connectorId: string
  /** The event links of this connector. */
  readonly links: () => readonly EventLinkReport[]
}

/**
 * Knows whether another connector stores calls and presence: of those that listen to the same engines, the one with the
 * smallest id does. The others check what it stored, so it does no harm when they learn of a change late, or when for a
 * moment two of them store or none.
 */
export class StoringPeer {
  readonly #deps: StoringPeerDeps
  #foundAt: number | undefined

  constructor(deps: StoringPeerDeps) {
    this.#deps = deps
  }

  /** Whether there was such a connector a moment ago. */
  get isThere(): boolean {
    if (this.#foundAt === undefined) return false
    const agoMs = this.#deps.clock.now() - this.#foundAt
    return agoMs >= 0 && agoMs < reliedOnMs
  }

  /** Looks at the reports of the connectors until aborted. While they cannot be read there is no peer after a while. */
  async follow(signal: AbortSignal): Promise<void> {
    const { store, clock, timers } = this.#deps
    while (!signal.aborted) {
      const now = clock.now()
      const reports = await store.list(now - reliedOnMs).catch(() => undefined)
      if (reports !== undefined) {
        this.#foundAt = freshReports(reports, now, reliedOnMs).some((report) => this.#stores(report)) ? now : undefined
      }
      await pause(timers, lookMs, signal)
    }
  }

  #stores({ connectorId, eventLinks = [] }: ConnectorReport): boolean {
    if (connectorId >= this.#deps.connectorId) return false
    const heard = new Set(eventLinks.filter(isUp).map(({ engine }) => engine))
    return this.#deps.links().every((link) => !isUp(link) || heard.has(link.engine))
  }
}

function isUp({ upSince }: EventLinkReport): boolean {
  return upSince > 0
}
