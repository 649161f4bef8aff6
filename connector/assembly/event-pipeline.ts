import type { Log } from '../../adapters/log/logger.ts'
import type { EventLinkReport } from '../../core/connectors/connector-report.ts'
import type { Ports } from '../../contracts/ports.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import { type Engine, type EngineEvent, eventNameOf } from '../runtime/engine.ts'
import { CatchUp } from '../recovery/catch-up.ts'
import { EngineMarks } from '../recovery/event-link.ts'
import { EventLinks } from '../recovery/event-links.ts'
import { type GapLog, gapLog } from '../recovery/gap-log.ts'
import { type ComparedEngine, Reconciliation } from '../recovery/reconciliation.ts'
import type { SpoolLocation } from '../buffer/buffer-disk.ts'
import { EventBuffer, type EventHandler } from '../buffer/event-buffer.ts'
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
import type { Subscriptions } from '../events/subscriptions.ts'

export interface EventPipelineDeps extends Time {
  readonly ports: Pick<Ports, 'events' | 'cdrQueue' | 'presence' | 'knownCalls' | 'gaps' | 'connectorStatus'>
  readonly wanted: Subscriptions
  readonly registry: ChannelRegistry
  readonly domains: DomainNames
  /** Every engine, also one that has never been reached. */
  readonly engines: readonly ComparedEngine[]
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
  #read = 0

  constructor(deps: EventPipelineDeps) {
    const { ports, clock, wanted, spool } = deps
    const marks = new EngineMarks()
    this.#deps = deps
    this.#gaps = gapLog({ ...deps, store: ports.gaps, sentBefore: (moment) => marks.sentBefore(moment) })
    this.#links = new EventLinks({ ...deps, gaps: this.#gaps, marks })
    const buffer = new EventBuffer({ ...deps, sink: ports.events, cdrSink: cdrSink(ports.cdrQueue), place: spool })
    this.#buffer = buffer
    this.#calls = new StoredCalls({ ...deps, store: ports.knownCalls, handedOverTo: () => this.#queuedTo })
    deps.registry.watch(this.#calls)
    const callsOf = unconfirmedCalls({ ...deps, store: ports.knownCalls, calls: this.#calls })
    const presence = new PresenceTracker({ ...deps, store: ports.presence, callsOf })
    this.#presence = presence
    this.#writer = presenceWriter({ ...deps, store: ports.presence, tracker: presence })
    this.#hold = new ReconnectHold({ ...deps, store: ports.connectorStatus })
    const [writer, hold, links] = [this.#writer, this.#hold, this.#links]
    this.#relay = new EventRelay({ ...deps, subscriptions: wanted, presence, writer, hold, buffer, links })
    this.#reconciliation = new Reconciliation({ ...deps, links, presence, buffer, relay: this.#relay })
    this.#engineChanges = engineChanges({ subscriptions: wanted, buffer, clock })
    buffer.start(this.#handler(new CatchUp({ ...deps, reconciliation: this.#reconciliation, buffer })))
  }

  #handler(catchUp: CatchUp): EventHandler {
    return {
      handle: async (turn) => {
        if (turn.isLeft) await catchUp.recallFor(turn)
        return this.#relay.handle(turn)
      },
      foresee: (event) => this.#relay.foresee(event),
      onLeftHandled: () => catchUp.leftHandled(),
      onDropped: (drop) => {
        this.#gaps.recordDrop(drop)
        catchUp.dropped(drop)
      },
    }
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
    if (this.#deps.wanted.concerns(eventNameOf(event))) this.#buffer.add(event, engineName)
  }

  /** What to wait for before more is read from an engine: a disk that is writing. `undefined` when there is room. */
  room(): Promise<void> | undefined {
    return this.#buffer.room()
  }

  /**
   * An engine's event link came up or was lost. Compares what is known with what the engine has, records the gap, and
   * notifies the subscribed domains: of the newest change of each engine, once the subscriptions are loaded.
   */
  engineChanged(engine: ComparedEngine & Pick<Engine, 'reasons'>, kind: EngineChange): void {
    const { name, coreUuid } = engine
    if (kind === 'engine_connected') {
      this.#hold.heardAgain(name)
      if (!this.#deps.wanted.isKnown) this.#narrow.add(name)
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
    this.#links.unreadable(engineName, (heardTo) => this.#reconciliation.compareAgain(engineName, heardTo))
  }

  /** Another connector is gone: events that it had heard and not handed over are looked for soon. */
  othersGone(): void {
    this.#reconciliation.othersGone()
  }

  follow(changed: () => void, signal: AbortSignal): Promise<void> {
    const onChanged = () => {
      this.#engineChanges.publishWaiting()
      changed()
    }
    return this.#deps.wanted.follow(onChanged, signal)
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
    const [relay, buffer, hold, gaps] = [this.#relay, this.#buffer, this.#hold, this.#gaps]
    const counted = { relay, buffer, hold, gaps, presence: this.#presence, calls: this.#calls }
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
}
