import type { ConnectorReport, EventLinkReport } from '../../core/connectors/connector-report.ts'
import type { ConnectorStatusStore } from '../../core/connectors/connector-status-store.ts'
import { freshReports, reliedOnMs } from '../../core/connectors/connectors.ts'
import { type Engine, isHealthy } from '../runtime/engine.ts'
import { type Time, pause } from '../../core/concurrency/timers.ts'

/** Connectors report this often, and are looked at as often. */
const lookMs = 5_000

export interface StoringPeerDeps extends Time {
  readonly store: Pick<ConnectorStatusStore, 'list'>
  readonly connectorId: string
  /** Every engine. */
  readonly engines: () => readonly Pick<Engine, 'name' | 'commands' | 'events'>[]
  /** The event links that this connector relays. */
  readonly links: () => readonly EventLinkReport[]
}

/**
 * Determines whether another connector stores calls, the states of gateways, and accounts. Of the connectors that relay
 * the same engines, or that for accounts are connected to the same ones, the one with the smallest id does. The others
 * check what it has stored, so it does no harm if they learn of a change late, or if for a moment two of them store or
 * none does.
 */
export class StoringPeer {
  readonly #deps: StoringPeerDeps
  #calls: number | undefined
  #accounts: number | undefined

  constructor(deps: StoringPeerDeps) {
    this.#deps = deps
  }

  /** Whether another connector stored the calls and gateways of these engines a moment ago. */
  get storesCalls(): boolean {
    return this.#isRecent(this.#calls)
  }

  /** Whether another connector stored accounts a moment ago. */
  get storesAccounts(): boolean {
    return this.#isRecent(this.#accounts)
  }

  /** Looks at the reports of the connectors until aborted. While they cannot be read there is no peer after a while. */
  async follow(signal: AbortSignal): Promise<void> {
    const { store, connectorId, clock, timers } = this.#deps
    while (!signal.aborted) {
      const now = clock.now()
      const reports = await store.list(now - reliedOnMs).catch(() => undefined)
      if (reports !== undefined) {
        const before = freshReports(reports, now, reliedOnMs).filter((report) => report.connectorId < connectorId)
        this.#calls = before.some((report) => this.#relaysSame(report)) ? now : undefined
        this.#accounts = before.some((report) => this.#hearsSame(report)) ? now : undefined
      }
      await pause(timers, lookMs, signal)
    }
  }

  #isRecent(foundAt: number | undefined): boolean {
    if (foundAt === undefined) return false
    const agoMs = this.#deps.clock.now() - foundAt
    return agoMs >= 0 && agoMs < reliedOnMs
  }

  #relaysSame({ eventLinks }: ConnectorReport): boolean {
    const relayed = new Set(eventLinks.filter(isUp).map(({ engine }) => engine))
    const own = this.#deps.links().filter(isUp)
    // Without a link it cannot be seen which engines are its own.
    return own.length > 0 && own.every(({ engine }) => relayed.has(engine))
  }

  #hearsSame({ engines }: ConnectorReport): boolean {
    const heard = new Set(engines.filter(({ connected }) => connected).map(({ name }) => name))
    return this.#deps.engines().every((engine) => !isHealthy(engine) || heard.has(engine.name))
  }
}

function isUp({ upSince }: EventLinkReport): boolean {
  return upSince > 0
}
