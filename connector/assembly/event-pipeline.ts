import type { Log } from '../../adapters/log/logger.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { EventLinkReport } from '../../core/connectors/connector-report.ts'
import type { Ports } from '../../contracts/ports.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import { type Engine, type EngineEvent, eventNameOf } from '../runtime/engine.ts'
import { eventLinks } from '../links/event-links.ts'
import { gapLog } from '../links/gap-log.ts'
import { lastListener } from '../reconcile/predecessor.ts'
import { type ComparedEngine, reconciliation } from '../reconcile/reconciliation.ts'
import { recallAccounts } from '../reconcile/recall-accounts.ts'
import { staleCalls } from '../reconcile/stale-calls.ts'
import type { SpoolPlace } from '../spool/spool.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { storedCalls } from '../calls/stored-calls.ts'
import { afterOthers } from '../events/after-others.ts'
import { cdrSink } from '../events/cdr-sink.ts'
import { type EngineChange, engineStateTeller } from '../events/engine-events.ts'
import { eventCounters } from './event-counters.ts'
import { type EventInbox, eventInbox, inboxLimits } from '../events/event-inbox.ts'
import { eventOutbox } from '../events/event-outbox.ts'
import { type RelayDeps, eventRelay } from '../events/event-relay.ts'
import { type IsUp, presenceTracker } from '../events/presence.ts'
import { InTurn } from '../events/in-turn.ts'
import { presenceWriter } from '../events/presence-writer.ts'
import { subscriptions } from '../events/subscriptions.ts'
import { confirmedEvents } from '../events/confirmed-events.ts'
import { unsureCalls } from '../events/unsure-calls.ts'

/** The way of events from the engines to the queue: what is wanted, whose it is, and handing it over. */
export interface EventPipeline {
  /** Takes an event of the engine named; at once, and never failing. */
  accept(event: EngineEvent, engineName: string): void
  /**
   * An engine's event link came up or was lost. Compares what is known with what the engine has, records the gap, and
   * notifies the subscribed domains: of the newest change of each engine, once the subscriptions are loaded.
   */
  engineChanged(engine: ComparedEngine & Pick<Engine, 'reasons'>, kind: EngineChange): void
  /** An engine has accepted the subscription of its event link. */
  subscribed(engineName: string): void
  /** An event of an engine could not be read: its channels are compared soon. */
  unreadable(engineName: string): void
  /** Another connector is gone: events that it had heard and not handed over are looked for soon. */
  othersGone(): void
  /** The words that event links subscribe with. */
  words(): string[]
  /** Keeps up with what hooks want until aborted; `changed` is called when the words may have changed. */
  follow(changed: () => void, signal: AbortSignal): Promise<void>
  /** Resolves when all that was taken has been handed over and stored. Nothing is compared any more. */
  flushed(): Promise<void>
  /**
   * Sends no more, and puts what waits for the queue on disk for the next process. Answers how many events are lost,
   * which are counted as dropped and recorded as a gap.
   */
  close(): Promise<number>
  /** Publishes an event of the platform; `false` if it may not be in the queue and should be published again. */
  tell(event: PlatformEvent): Promise<boolean>
  /** How far each engine's events have been read, for the report of this connector. */
  links(): EventLinkReport[]
  /** Events that are not handed over yet. */
  readonly waiting: number
  /** How long the event that waits longest has been waiting to be queued. */
  readonly lagMs: number
  /** How long the event that waits longest in memory alone, on no disk, has been waiting. */
  readonly unkeptMs: number
  counters(): Readonly<Record<string, number>>
}

export interface EventPipelineDeps extends Time {
  readonly ports: Pick<
    Ports,
    'events' | 'cdrQueue' | 'presence' | 'knownCalls' | 'subscriptions' | 'gaps' | 'connectorStatus'
  >
  readonly registry: ChannelRegistry
  readonly domains: DomainNames
  /** Every engine, also one that has never been reached; not asked for before the first link is up. */
  readonly engines: () => readonly ComparedEngine[]
  /** Whether a call that is older than this process is still up. */
  readonly isUp: IsUp
  /** Names this process in gaps. */
  readonly connectorId: string
  /** Where events wait that memory has no room for, and those that a killed process must not lose; nowhere if absent. */
  readonly spool?: SpoolPlace | undefined
  /** Whether another connector stores calls and presence, so that this one only checks them; never where absent. */
  readonly isStoredByPeer?: (() => boolean) | undefined
  /** Called with every event of a channel whose domain is known; must not throw. */
  readonly onChannelEvent?: RelayDeps['onChannelEvent'] | undefined
  /** Called with each event that belongs to no domain; must not throw. */
  readonly onUnowned?: RelayDeps['onUnowned'] | undefined
  readonly random: () => number
  readonly log: Log
}

/** Makes the event side; it does nothing until events come. */
export function eventPipeline(parts: EventPipelineDeps): EventPipeline {
  const { ports, clock, timers, log, isStoredByPeer = () => false } = parts
  const wanted = subscriptions({ ...parts, reader: ports.subscriptions })
  const gaps = gapLog({ ...parts, store: ports.gaps, sentBefore: (moment) => links.sentBefore(moment) })
  const links = eventLinks({
    tell: (gap) => gaps.add(gap),
    unstoredFrom: (engine) => gaps.unstoredFrom(engine),
    onUnread: (engine, heardTo) => kept.compareAgain(engine, heardTo),
    clock,
    timers,
  })
  const confirmed = confirmedEvents({ sink: ports.events, subscriptions: wanted, timers })
  const outbox = eventOutbox({
    ...parts,
    sink: confirmed.sink,
    cdrSink: cdrSink(ports.cdrQueue),
    place: parts.spool,
    onDropped: (drop) => gaps.recordDrop(drop),
  })
  const before = (engine: string) =>
    lastListener({ store: ports.connectorStatus, connectorId: parts.connectorId, now: clock.now() }, engine)
  const stale = staleCalls({
    ...parts,
    before,
    knownCalls: ports.knownCalls,
    make: (event, engine) => inboxOf(engine).add(event),
  })
  const unsure = unsureCalls({ ...parts, onEnded: stale, tracker: () => presence, writer: () => writer })
  const presence = presenceTracker(ports.presence, clock, (account, uuid) => unsure.add(account, uuid))
  const writer = presenceWriter({ ...parts, store: ports.presence, tracker: presence, isStoredByPeer })
  const inOrder = afterOthers({ ...parts, outbox, store: ports.connectorStatus })
  const inboxes = new Map<string, EventInbox>()
  /** When what an inbox hands on now was read, or earlier: it may have waited there for long. */
  const readAt = () => Math.min(clock.now(), ...[...inboxes.values()].map((inbox) => inbox.oldestAt ?? Infinity))
  const relay = eventRelay({
    ...parts,
    subscriptions: wanted,
    presence,
    writer,
    outbox: { add: (event, engine) => inOrder.add(event, engine, readAt()) },
    cdrs: { add: (event) => outbox.add(event, readAt()) },
    links,
  })
  const inboxOf = (engine: string): EventInbox => {
    const inbox =
      inboxes.get(engine) ??
      eventInbox({
        ...parts,
        limits: inboxLimits(parts.engines().length),
        handle: (event) => relay.handle(event, engine),
        foresee: (event) => relay.foresee(event),
        onDropped: (drop) => gaps.recordDrop(drop),
        onGivenUp: () => inOrder.heardAgain(engine),
      })
    inboxes.set(engine, inbox)
    return inbox
  }
  const sum = (count: (inbox: EventInbox) => number) => [...inboxes.values()].reduce((all, one) => all + count(one), 0)
  const kept = reconciliation({
    ...parts,
    links,
    presence,
    before,
    knownCalls: ports.knownCalls,
    recall: () => wanted.isKnown && recallAccounts(wanted, presence, writer),
    make: (event, engine) => inboxOf(engine).add(event),
    inTurn: (engine, run) => inboxOf(engine).add(new InTurn(run)),
    found: (domain, registration) => relay.found(domain, registration),
  })
  let read = 0
  const tellEngineChange = engineStateTeller({ subscriptions: wanted, outbox, clock })
  const untold = new Map<string, () => void>()
  /** Engines whose event link came up before it was known what it is to send. */
  const narrow = new Set<string>()
  const inMemoryAt = () => Math.min(readAt(), inOrder.oldestAt ?? Infinity)
  const oldestAt = () => Math.min(inMemoryAt(), outbox.oldestAt ?? Infinity)
  const keptTo = () => Math.min(inMemoryAt(), outbox.unwrittenAt ?? Infinity)
  const calls = storedCalls({ ...parts, store: ports.knownCalls, handedOverTo: oldestAt, isStoredByPeer })
  parts.registry.watch(calls)

  return {
    accept: (event, engineName) => {
      read += 1
      links.heard(event, engineName)
      inOrder.heard(event, engineName)
      if (wanted.concerns(eventNameOf(event))) inboxOf(engineName).add(event)
    },
    engineChanged: (engine, kind) => {
      const { name, coreUuid } = engine
      if (kind === 'engine_connected') {
        inOrder.heardAgain(name)
        if (!wanted.isKnown) narrow.add(name)
        kept.linkUp(engine)
      } else kept.linkDown(name, engine.reasons.events ?? 'closed')
      const tell = () => tellEngineChange(kind, { name, coreUuid })
      if (wanted.isKnown) tell()
      else untold.set(engine.name, tell)
    },
    subscribed: (engineName) => {
      if (!narrow.delete(engineName)) return
      links.widened(engineName)
      inOrder.heardAgain(engineName)
    },
    unreadable: (engineName) => links.unreadable(engineName),
    othersGone: () => kept.othersGone(),
    words: () => wanted.engineWords(),
    follow: (changed, signal) => {
      const tellAll = () => {
        for (const tell of untold.values()) tell()
        untold.clear()
        changed()
      }
      return wanted.follow(tellAll, signal)
    },
    flushed: async () => {
      kept.stop()
      links.settle()
      await Promise.all([...inboxes.values()].map((inbox) => inbox.settled()))
      await Promise.all([inOrder.stop(), writer.flushed(), gaps.flushed()])
      await outbox.drained()
      await calls.flushed()
    },
    close: async () => {
      calls.close()
      const unread = sum((inbox) => inbox.close())
      inOrder.close()
      const lost = unread + (await outbox.close())
      if (outbox.waiting > 0) log.warn('events wait on disk for the next start', { events: outbox.waiting })
      await gaps.flushed()
      return lost
    },
    tell: (event) => confirmed.tell(event, outbox),
    links: () => links.reports({ queuedTo: Math.min(clock.now(), oldestAt()), keptTo: keptTo(), narrow }),
    get waiting() {
      return sum((inbox) => inbox.waiting) + inOrder.waiting + outbox.waiting
    },
    get lagMs() {
      return clock.now() - oldestAt()
    },
    get unkeptMs() {
      return clock.now() - keptTo()
    },
    counters: () =>
      eventCounters({ relay, outbox, inOrder, inboxes: () => inboxes.values(), gaps, presence, calls }, read),
  }
}
