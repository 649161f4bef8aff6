import type { Log } from '../../adapters/log/logger.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { EventLinkReport } from '../../core/connectors/connector-report.ts'
import type { Ports } from '../../contracts/ports.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import { type Engine, type EngineEvent, eventNameOf } from '../runtime/engine.ts'
import { EventLinks } from '../links/event-links.ts'
import { type GapLog, gapLog } from '../links/gap-log.ts'
import { lastListener, namesOfCore } from '../reconcile/predecessor.ts'
import { type ComparedEngine, Reconciliation, type ReconciliationDeps } from '../reconcile/reconciliation.ts'
import { recallAccounts } from '../reconcile/recall-accounts.ts'
import { staleCalls } from '../reconcile/stale-calls.ts'
import type { SpoolPlace } from '../spool/spool.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { StoredCalls } from '../calls/stored-calls.ts'
import { AfterOthers } from '../events/after-others.ts'
import { cdrSink } from '../events/cdr-sink.ts'
import { type EngineChange, type EngineChanges, engineChanges } from '../events/engine-events.ts'
import { eventCounters } from './event-counters.ts'
import { EventProgress } from './event-progress.ts'
import { EventInbox, inboxLimits } from '../events/event-inbox.ts'
import { EventInboxes } from '../events/event-inboxes.ts'
import { EventOutbox } from '../events/event-outbox.ts'
import { EventRelay, type RelayDeps } from '../events/event-relay.ts'
import { type IsUp, PresenceTracker } from '../events/presence.ts'
import { InTurn } from '../events/in-turn.ts'
import { type PresenceWriter, presenceWriter } from '../events/presence-writer.ts'
import { type Subscriptions, subscriptions } from '../events/subscriptions.ts'
import { type ConfirmedEvents, confirmedEvents } from '../events/confirmed-events.ts'
import { unsureCalls } from '../events/unsure-calls.ts'

export interface EventPipelineDeps extends Time {
  readonly ports: Pick<
    Ports,
    'events' | 'cdrQueue' | 'presence' | 'knownCalls' | 'subscriptions' | 'gaps' | 'connectorStatus'
  >
  readonly registry: ChannelRegistry
  readonly domains: DomainNames
  /** Every engine, also one that has never been reached; not asked for before the first link is up. */
  readonly engines: () => readonly ComparedEngine[]
  /** Whether this connector relays the events of the engine named; it does so for all if absent. */
  readonly isRelayed?: RelayDeps['isRelayed'] | undefined
  /** Whether a call that is older than this process is still up. */
  readonly isUp: IsUp
  /** Names this process in gaps. */
  readonly connectorId: string
  /** Where events wait that memory has no room for, and those that a killed process must not lose; nowhere if absent. */
  readonly spool?: SpoolPlace | undefined
  /** Whether another connector stores the calls of these engines, or accounts, so that this one only checks them; never where absent. */
  readonly isStoredByPeer?: { readonly calls: () => boolean; readonly accounts: () => boolean } | undefined
  /** Called with every event of a channel whose domain is known; must not throw. */
  readonly onChannelEvent?: RelayDeps['onChannelEvent'] | undefined
  /** Called with each event that belongs to no domain; must not throw. */
  readonly onUnowned?: RelayDeps['onUnowned'] | undefined
  readonly random: () => number
  readonly log: Log
}

/**
 * Takes events from the engines to the queue: selects the wanted ones, finds the domain of each, and sends them in order. It
 * is idle until events come.
 */
export class EventPipeline {
  readonly #deps: EventPipelineDeps
  readonly #isRelayed: RelayDeps['isRelayed']
  readonly #wanted: Subscriptions
  readonly #gaps: GapLog
  readonly #links: EventLinks
  readonly #confirmed: ConfirmedEvents
  readonly #outbox: EventOutbox
  readonly #presence: PresenceTracker
  readonly #writer: PresenceWriter
  readonly #inOrder: AfterOthers
  readonly #inboxes: EventInboxes
  readonly #relay: EventRelay
  readonly #reconciliation: Reconciliation
  readonly #calls: StoredCalls
  readonly #engineChanges: EngineChanges
  readonly #progress: EventProgress
  /** Engines whose event link came up before it was known what it is to send. */
  readonly #narrow = new Set<string>()
  #read = 0

  constructor(deps: EventPipelineDeps) {
    const { ports, clock, timers, isRelayed = () => true } = deps
    const { isStoredByPeer = { calls: () => false, accounts: () => false } } = deps
    this.#deps = deps
    this.#isRelayed = isRelayed
    this.#wanted = subscriptions({ ...deps, reader: ports.subscriptions })
    this.#gaps = gapLog({ ...deps, store: ports.gaps, sentBefore: (moment) => this.#links.sentBefore(moment) })
    this.#links = new EventLinks({
      tell: (gap) => isRelayed(gap.engine) && this.#gaps.add(gap),
      unstoredFrom: (engine) => this.#gaps.unstoredFrom(engine),
      onUnread: (engine, heardTo) => this.#reconciliation.compareAgain(engine, heardTo),
      clock,
      timers,
    })
    this.#confirmed = confirmedEvents({ sink: ports.events, subscriptions: this.#wanted, timers })
    this.#outbox = new EventOutbox({
      ...deps,
      sink: this.#confirmed.sink,
      cdrSink: cdrSink(ports.cdrQueue),
      place: deps.spool,
      onDropped: (drop) => this.#gaps.recordDrop(drop),
    })
    const unsure = unsureCalls({
      ...deps,
      onEnded: staleCalls({ ...deps, ...this.#madeEvents(), knownCalls: ports.knownCalls }),
      tracker: () => this.#presence,
      writer: () => this.#writer,
    })
    this.#presence = new PresenceTracker(ports.presence, clock, (account, uuid) => unsure.add(account, uuid))
    this.#writer = presenceWriter({
      ...deps,
      store: ports.presence,
      tracker: this.#presence,
      isStoredByPeer: isStoredByPeer.accounts,
    })
    this.#inOrder = new AfterOthers({ ...deps, outbox: this.#outbox, store: ports.connectorStatus })
    this.#inboxes = new EventInboxes((engine) => this.#newInbox(engine))
    this.#progress = new EventProgress({ clock, inboxes: this.#inboxes, inOrder: this.#inOrder, outbox: this.#outbox })
    this.#relay = new EventRelay({
      ...deps,
      isRelayed,
      subscriptions: this.#wanted,
      presence: this.#presence,
      writer: this.#writer,
      outbox: { add: (event, engine) => this.#inOrder.add(event, engine, this.#progress.readAt) },
      cdrs: { add: (event) => this.#outbox.add(event, this.#progress.readAt) },
      links: this.#links,
    })
    this.#reconciliation = this.#newReconciliation()
    this.#engineChanges = engineChanges({ subscriptions: this.#wanted, outbox: this.#outbox, clock })
    const handedOverTo = () => this.#progress.queuedTo
    this.#calls = new StoredCalls({
      ...deps,
      store: ports.knownCalls,
      handedOverTo,
      isStoredByPeer: isStoredByPeer.calls,
    })
    deps.registry.watch({
      live: (channel) => (isRelayed(channel.engine) ? this.#calls.live(channel) : this.#calls.leave(channel)),
      ended: (channel) => isRelayed(channel.engine) && this.#calls.ended(channel),
    })
  }

  /** Events that are not handed over yet. */
  get waiting(): number {
    return this.#progress.waiting
  }

  /** How long the event that waits longest has been waiting to be queued. */
  get lagMs(): number {
    return this.#deps.clock.now() - this.#progress.queuedTo
  }

  /** How long the event that waits longest in memory alone, on no disk, has been waiting. */
  get unkeptMs(): number {
    return this.#deps.clock.now() - this.#progress.keptTo
  }

  /** Takes an event of the engine named; at once, and never failing. */
  accept(event: EngineEvent, engineName: string): void {
    this.#read += 1
    this.#links.heard(event, engineName)
    this.#inOrder.heard(event, engineName)
    if (this.#wanted.concerns(eventNameOf(event))) this.#inboxes.of(engineName).add(event)
  }

  /**
   * An engine's event link came up or was lost. Compares what is known with what the engine has, records the gap, and
   * notifies the subscribed domains: of the newest change of each engine, once the subscriptions are loaded.
   */
  engineChanged(engine: ComparedEngine & Pick<Engine, 'reasons'>, kind: EngineChange): void {
    const { name, coreUuid } = engine
    if (kind === 'engine_connected') {
      this.#inOrder.heardAgain(name)
      if (!this.#wanted.isKnown) this.#narrow.add(name)
      this.#reconciliation.linkUp(engine)
    } else this.#reconciliation.linkDown(name, engine.reasons.events ?? 'closed')
    if (this.#isRelayed(name)) this.#engineChanges.add(kind, { name, coreUuid })
  }

  /** An engine has accepted the subscription of its event link. */
  subscribed(engineName: string): void {
    if (!this.#narrow.delete(engineName)) return
    this.#links.widened(engineName)
    this.#inOrder.heardAgain(engineName)
  }

  /** An event of an engine could not be read: its channels are compared soon. */
  unreadable(engineName: string): void {
    this.#links.unreadable(engineName)
  }

  /** Another connector is gone: events that it had heard and not handed over are looked for soon. */
  othersGone(): void {
    this.#reconciliation.othersGone()
  }

  /** The words that event links subscribe with. */
  words(): string[] {
    return this.#wanted.engineWords()
  }

  /** Keeps up with what hooks want until aborted; `changed` is called when the words may have changed. */
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
    await this.#inboxes.settled()
    await Promise.all([this.#inOrder.stop(), this.#writer.flushed(), this.#gaps.flushed()])
    await this.#outbox.drained()
    await this.#calls.flushed()
  }

  /**
   * Sends no more, and puts what waits for the queue on disk for the next process. Answers how many events are lost,
   * which are counted as dropped and recorded as a gap.
   */
  async close(): Promise<number> {
    this.#calls.close()
    const unread = this.#inboxes.close()
    this.#inOrder.close()
    const lost = unread + (await this.#outbox.close())
    const left = this.#outbox.waiting
    if (left > 0) this.#deps.log.warn('events wait on disk for the next start', { events: left })
    await this.#gaps.flushed()
    return lost
  }

  /** Publishes an event of the platform; `false` if it may not be in the queue and should be published again. */
  tell(event: PlatformEvent): Promise<boolean> {
    return this.#confirmed.tell(event, this.#outbox)
  }

  /** How far the events have been read of each engine that this connector relays, for its report. */
  links(): EventLinkReport[] {
    const { queuedTo, keptTo } = this.#progress
    const reports = this.#links.reports({ queuedTo, keptTo, narrow: this.#narrow })
    return reports.filter(({ engine }) => this.#isRelayed(engine))
  }

  counters(): Readonly<Record<string, number>> {
    const counted = {
      relay: this.#relay,
      outbox: this.#outbox,
      inOrder: this.#inOrder,
      inboxes: this.#inboxes.all(),
      gaps: this.#gaps,
      presence: this.#presence,
      calls: this.#calls,
    }
    return eventCounters(counted, this.#read)
  }

  #newInbox(engine: string): EventInbox {
    return new EventInbox({
      ...this.#deps,
      limits: inboxLimits(this.#deps.engines().length),
      handle: (event) => this.#relay.handle(event, engine),
      foresee: (event) => this.#relay.foresee(event),
      onDropped: (drop) => this.#isRelayed(engine) && this.#gaps.recordDrop(drop),
      onGivenUp: () => this.#inOrder.heardAgain(engine),
    })
  }

  #newReconciliation(): Reconciliation {
    return new Reconciliation({
      ...this.#deps,
      ...this.#madeEvents(),
      links: this.#links,
      presence: this.#presence,
      knownCalls: this.#deps.ports.knownCalls,
      recall: () => this.#wanted.isKnown && recallAccounts(this.#wanted, this.#presence, this.#writer),
      inTurn: (engine, run) => this.#inboxes.of(engine).add(new InTurn(run)),
      found: (domain, registration) => this.#relay.found(domain, registration),
    })
  }

  /** Who listened to an engine before, and what takes the events that stand for those missed since. */
  #madeEvents(): Pick<ReconciliationDeps, 'before' | 'namesOfCore' | 'make'> {
    const { ports, connectorId, clock } = this.#deps
    return {
      namesOfCore: (core) => namesOfCore({ store: ports.connectorStatus, now: clock.now() }, core),
      before: (engine) => lastListener({ store: ports.connectorStatus, connectorId, now: clock.now() }, engine),
      make: (event, engine) => this.#inboxes.of(engine).add(event),
    }
  }
}
