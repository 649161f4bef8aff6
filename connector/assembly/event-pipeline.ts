import type { Log } from '../../adapters/log/logger.ts'
import type { EventLinkReport } from '../../core/connectors/connector-report.ts'
import type { Ports } from '../../contracts/ports.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import { type Engine, type EngineEvent, eventNameOf } from '../runtime/engine.ts'
import { EventLinks } from '../recovery/event-links.ts'
import { type GapLog, gapLog } from '../recovery/gap-log.ts'
import { type ComparedEngine, Reconciliation } from '../recovery/reconciliation.ts'
import type { SpoolLocation } from '../buffer/buffer-disk.ts'
import type { Drop } from '../buffer/drops.ts'
import { EventBuffer, type Turn } from '../buffer/event-buffer.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { StoredCalls } from '../calls/stored-calls.ts'
import { unconfirmedCalls } from '../calls/unconfirmed-calls.ts'
import { ReconnectHold } from '../events/reconnect-hold.ts'
import { cdrSink } from '../events/cdr-sink.ts'
import { type EngineChange, type EngineChanges, engineChanges } from '../events/engine-events.ts'
import { eventCounters } from './event-counters.ts'
import { EventRelay, type RelayDeps } from '../events/event-relay.ts'
import { PresenceTracker } from '../events/presence.ts'
import { type PresenceWriter, presenceWriter } from '../events/presence-writer.ts'
import { type Subscriptions, subscriptions } from '../events/subscriptions.ts'

export interface EventPipelineDeps extends Time {
  readonly ports: Pick<
    Ports,
    'events' | 'cdrQueue' | 'presence' | 'knownCalls' | 'subscriptions' | 'gaps' | 'connectorStatus'
  >
  readonly registry: ChannelRegistry
  readonly domains: DomainNames
  /** Every engine, also one that has never been reached; not asked for before the first link is up. */
  readonly engines: () => readonly ComparedEngine[]
  readonly connectorId: string
  /** Where events wait if memory has no room, and those that a killed process must not lose; nowhere if absent. */
  readonly spool?: SpoolLocation | undefined
  /** Called with every event of a channel whose domain is known; must not throw. */
  readonly onChannelEvent?: RelayDeps['onChannelEvent'] | undefined
  /** Called with each event that belongs to no domain; must not throw. */
  readonly onUnowned?: RelayDeps['onUnowned'] | undefined
  readonly random: () => number
  readonly log: Log
}

/**
 * Takes events from the engines to the queue: selects the wanted ones, finds the domain of each, and sends them in
 * order. It is idle until events come.
 */
export class EventPipeline {
  readonly #deps: EventPipelineDeps
  readonly #wanted: Subscriptions
  readonly #gaps: GapLog
  readonly #links: EventLinks
  readonly #buffer: EventBuffer
  readonly #presence: PresenceTracker
  readonly #writer: PresenceWriter
  readonly #hold: ReconnectHold
  readonly #relay: EventRelay
  readonly #reconciliation: Reconciliation
  readonly #calls: StoredCalls
  readonly #engineChanges: EngineChanges
  /** Engines whose event link came up before it was known what it is to send. */
  readonly #narrow = new Set<string>()
  /** Engines whose stored calls were taken up for the events that an earlier process left. */
  readonly #recalled = new Set<string>()
  /** When the first of the events was read that were given up and not made up for yet, epoch milliseconds. */
  #missedFrom = Infinity
  /** When the newest event was read that an earlier process left, epoch milliseconds. */
  #leftReadTo = 0
  #read = 0

  constructor(deps: EventPipelineDeps) {
    const { ports, clock, timers } = deps
    this.#deps = deps
    this.#wanted = subscriptions({ ...deps, reader: ports.subscriptions })
    this.#gaps = gapLog({ ...deps, store: ports.gaps, sentBefore: (moment) => this.#links.sentBefore(moment) })
    this.#links = new EventLinks({
      tell: (gap) => this.#gaps.add(gap),
      unstoredFrom: (engine) => this.#gaps.unstoredFrom(engine),
      onUnread: (engine, heardTo) => this.#reconciliation.compareAgain(engine, heardTo),
      clock,
      timers,
    })
    this.#buffer = this.#newBuffer()
    this.#calls = new StoredCalls({ ...deps, store: ports.knownCalls, handedOverTo: () => this.#queuedTo })
    const callsOf = unconfirmedCalls({ ...deps, store: ports.knownCalls, calls: this.#calls })
    this.#presence = new PresenceTracker({ ...deps, store: ports.presence, callsOf })
    this.#writer = presenceWriter({ ...deps, store: ports.presence, tracker: this.#presence })
    this.#hold = new ReconnectHold({ ...deps, store: ports.connectorStatus })
    this.#relay = new EventRelay({
      ...deps,
      subscriptions: this.#wanted,
      presence: this.#presence,
      writer: this.#writer,
      hold: this.#hold,
      buffer: this.#buffer,
      links: this.#links,
    })
    this.#reconciliation = this.#newReconciliation()
    this.#engineChanges = engineChanges({ subscriptions: this.#wanted, buffer: this.#buffer, clock })
    deps.registry.watch(this.#calls)
  }

  get waiting(): number {
    return this.#buffer.waiting
  }

  get lagMs(): number {
    return this.#deps.clock.now() - this.#queuedTo
  }

  /** How long the event that waits longest in memory alone, on no disk, has been waiting. */
  get unkeptMs(): number {
    return this.#deps.clock.now() - this.#keptTo
  }

  /** Takes an event of the engine named; at once, and never failing. */
  accept(event: EngineEvent, engineName: string): void {
    this.#read += 1
    this.#links.heard(event, engineName)
    this.#hold.heard(event, engineName)
    if (this.#wanted.concerns(eventNameOf(event))) this.#buffer.add(event, engineName)
  }

  /**
   * An engine's event link came up or was lost. Compares what is known with what the engine has, records the gap, and
   * notifies the subscribed domains: of the newest change of each engine, once the subscriptions are loaded.
   */
  engineChanged(engine: ComparedEngine & Pick<Engine, 'reasons'>, kind: EngineChange): void {
    const { name, coreUuid } = engine
    if (kind === 'engine_connected') {
      this.#hold.heardAgain(name)
      if (!this.#wanted.isKnown) this.#narrow.add(name)
      this.#reconciliation.linkUp(engine)
    } else this.#reconciliation.linkDown(name, engine.reasons.events ?? 'closed')
    this.#engineChanges.add(kind, { name, coreUuid })
  }

  subscribed(engineName: string): void {
    if (!this.#narrow.delete(engineName)) return
    this.#links.widened(engineName)
    this.#hold.heardAgain(engineName)
  }

  /** An event of an engine could not be read: its channels are compared soon. */
  unreadable(engineName: string): void {
    this.#links.unreadable(engineName)
  }

  /** Another connector is gone: events that it had heard and not handed over are looked for soon. */
  othersGone(): void {
    this.#reconciliation.othersGone()
  }

  words(): string[] {
    return this.#wanted.engineWords()
  }

  follow(changed: () => void, signal: AbortSignal): Promise<void> {
    const onChanged = () => {
      this.#engineChanges.publishWaiting()
      changed()
    }
    return this.#wanted.follow(onChanged, signal)
  }

  /** Resolves when all that was taken has been handed over and stored. Nothing is compared any more. */
  async flushed(): Promise<void> {
    this.#reconciliation.stop()
    this.#links.settle()
    this.#hold.stop()
    await this.#buffer.handled()
    await Promise.all([this.#writer.flushed(), this.#gaps.flushed()])
    await this.#buffer.drained()
    await this.#calls.flushed()
  }

  /**
   * Sends no more, and puts what waits on disk for the next process. Answers how many events are lost,
   * which are counted as dropped and recorded as a gap.
   */
  async close(): Promise<number> {
    this.#calls.close()
    const lost = await this.#buffer.close()
    const left = this.#buffer.waiting
    if (left > 0) this.#deps.log.warn('events wait on disk for the next start', { events: left })
    await this.#gaps.flushed()
    return lost
  }

  /** How far the events have been read of each engine, for its report. */
  links(): EventLinkReport[] {
    return this.#links.reports({ queuedTo: this.#queuedTo, keptTo: this.#keptTo, narrow: this.#narrow })
  }

  counters(): Readonly<Record<string, number>> {
    const counted = {
      relay: this.#relay,
      buffer: this.#buffer,
      hold: this.#hold,
      gaps: this.#gaps,
      presence: this.#presence,
      calls: this.#calls,
    }
    return eventCounters(counted, this.#read)
  }

  /** Every event that was read before this moment, epoch milliseconds, has been queued. */
  get #queuedTo(): number {
    return Math.min(this.#deps.clock.now(), this.#buffer.oldestAt ?? Infinity)
  }

  /** Every event that was read before this moment, epoch milliseconds, has been queued or written to disk. */
  get #keptTo(): number {
    return Math.min(this.#deps.clock.now(), this.#buffer.unwrittenAt ?? Infinity)
  }

  #newBuffer(): EventBuffer {
    const { ports, spool } = this.#deps
    return new EventBuffer({
      ...this.#deps,
      sink: ports.events,
      cdrSink: cdrSink(ports.cdrQueue),
      place: spool,
      handle: (turn) => (turn.isLeft ? this.#handleLeft(turn) : this.#relay.handle(turn)),
      foresee: (event) => this.#relay.foresee(event),
      onLeftHandled: () => this.#leftHandled(),
      onDropped: (drop) => this.#noteDrop(drop),
    })
  }

  /** The domain of an event may be known by its call alone, whose first events the earlier process has handed over. */
  async #handleLeft(turn: Turn): Promise<void> {
    const { engine, readAt } = turn
    const { ports, registry } = this.#deps
    if (!this.#recalled.has(engine))
      for (const call of await ports.knownCalls.list(engine)) registry.recall(call, readAt)
    this.#leftReadTo = Math.max(this.#leftReadTo, readAt)
    this.#recalled.add(engine)
    return this.#relay.handle(turn)
  }

  /**
   * What was given up was missed, by this connector at least: all that it knows is compared once the others were
   * handled.
   */
  #noteDrop(drop: Drop): void {
    this.#gaps.recordDrop(drop)
    const isNoted = this.#missedFrom < Infinity
    this.#missedFrom = Math.min(this.#missedFrom, drop.from)
    if (!isNoted) this.#buffer.afterThese(() => this.#compareAll())
  }

  #compareAll(): void {
    const from = this.#missedFrom
    this.#missedFrom = Infinity
    for (const { name } of this.#deps.engines()) this.#reconciliation.compareAgain(name, from)
  }

  /** What an earlier process heard proves nothing of the calls that are up now, nor when those ended that are not. */
  #leftHandled(): void {
    for (const { name } of this.#deps.engines()) {
      this.#deps.registry.markUnconfirmed(name, this.#leftReadTo)
      this.#reconciliation.compareAgain(name, this.#leftReadTo)
    }
  }

  #newReconciliation(): Reconciliation {
    return new Reconciliation({
      ...this.#deps,
      links: this.#links,
      presence: this.#presence,
      afterQueued: (run) => this.#buffer.afterThese(run),
      make: (event, engine) => this.#buffer.add(event, engine),
      found: (domain, registration) => this.#relay.found(domain, registration),
    })
  }
}
