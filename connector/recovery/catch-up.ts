import type { Ports } from '../../contracts/ports.ts'
import type { Drop } from '../buffer/drops.ts'
import type { EventBuffer, Turn } from '../buffer/event-buffer.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { ComparedEngine, Reconciliation } from './reconciliation.ts'

export interface CatchUpDeps {
  readonly ports: Pick<Ports, 'knownCalls'>
  readonly registry: Pick<ChannelRegistry, 'recall' | 'markUnconfirmed'>
  readonly engines: readonly ComparedEngine[]
  readonly reconciliation: Pick<Reconciliation, 'compareAgain'>
  readonly buffer: Pick<EventBuffer, 'afterThese'>
}

/** Compares all engines again after events were dropped, and after those that an earlier process left were handled. */
export class CatchUp {
  readonly #deps: CatchUpDeps
  /** Engines whose stored calls were taken up for the events that an earlier process left. */
  readonly #recalled = new Set<string>()
  /** When the first of the dropped events was read that no comparison has made up for yet, epoch milliseconds. */
  #missedFrom = Infinity
  /** When the newest event was read that an earlier process left, epoch milliseconds. */
  #leftReadTo = 0

  constructor(deps: CatchUpDeps) {
    this.#deps = deps
  }

  /**
   * Takes up the stored calls of an engine before the first event that an earlier process left of it: the domain of an
   * event may be known by its call alone, whose first events that process has handed over.
   */
  async recallFor({ engine, readAt }: Pick<Turn, 'engine' | 'readAt'>): Promise<void> {
    const { ports, registry } = this.#deps
    if (!this.#recalled.has(engine))
      for (const call of await ports.knownCalls.list(engine)) registry.recall(call, readAt)
    this.#leftReadTo = Math.max(this.#leftReadTo, readAt)
    this.#recalled.add(engine)
  }

  /** What an earlier process heard proves nothing of the calls that are up now, nor when those ended that are not. */
  leftHandled(): void {
    const { engines, registry, reconciliation } = this.#deps
    for (const { name } of engines) {
      registry.markUnconfirmed(name, this.#leftReadTo)
      reconciliation.compareAgain(name, this.#leftReadTo)
    }
  }

  /** Compares once the other events are handled: this connector at least has missed the dropped ones. */
  dropped(drop: Pick<Drop, 'from'>): void {
    const isNoted = this.#missedFrom < Infinity
    this.#missedFrom = Math.min(this.#missedFrom, drop.from)
    if (!isNoted) this.#deps.buffer.afterThese(() => this.#compareAll())
  }

  #compareAll(): void {
    const { engines, reconciliation } = this.#deps
    const from = this.#missedFrom
    this.#missedFrom = Infinity
    for (const { name } of engines) reconciliation.compareAgain(name, from)
  }
}
