import type { Log } from '../../adapters/log/logger.ts'
import type { Ports } from '../../core/ports.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import { type Engine, type EngineEvent, eventNameOf } from '../engine.ts'
import type { Time } from '../timers.ts'
import { type EngineChange, engineStateTeller } from './engine-events.ts'
import { type EventInbox, eventInbox } from './event-inbox.ts'
import { eventOutbox } from './event-outbox.ts'
import { eventRelay } from './event-relay.ts'
import { type IsUp, presenceTracker } from './presence.ts'
import { presenceWriter } from './presence-writer.ts'
import { subscriptions } from './subscriptions.ts'

/** The way of events from the engines to the queue: what is wanted, whose it is, and handing it over. */
export interface EventSide {
  /** Takes an event of the engine named; at once, and never failing. */
  accept(event: EngineEvent, engineName: string): void
  /** Tells the domains that want to know that an engine came or went; of each the newest, once it is known who they are. */
  engineChanged(engine: Pick<Engine, 'name' | 'coreUuid'>, kind: EngineChange): void
  /** The words that event links subscribe with. */
  words(): string[]
  /** Keeps up with what hooks want until aborted; `changed` is told when the words may have changed. */
  follow(changed: () => void, signal: AbortSignal): Promise<void>
  /** Resolves when all that was taken has been handed over and stored. */
  flushed(): Promise<void>
  /** Events that are not handed over yet. */
  readonly waiting: number
  /** How long the event that waits longest has been waiting to be queued. */
  readonly lagMs: number
  counters(): Readonly<Record<string, number>>
}

/** What the event side is made from. */
export interface EventSideParts extends Time {
  readonly ports: Pick<Ports, 'events' | 'presence' | 'subscriptions'>
  readonly registry: ChannelRegistry
  readonly domains: DomainNames
  /** Whether a call of before this process is still up. */
  readonly isUp: IsUp
  readonly random: () => number
  readonly log: Log
}

/** Makes the event side; it does nothing until events come. */
export function eventSide(parts: EventSideParts): EventSide {
  const { ports, registry, domains, random, log, clock, timers } = parts
  const wanted = subscriptions({ reader: ports.subscriptions, log, clock, timers })
  const outbox = eventOutbox({ sink: ports.events, log, random, clock, timers })
  const presence = presenceTracker(ports.presence, parts.isUp)
  const writer = presenceWriter({ store: ports.presence, tracker: presence, timers, random, log })
  const relay = eventRelay({ subscriptions: wanted, registry, domains, presence, writer, outbox, clock })
  const inboxes = new Map<string, EventInbox>()
  const inboxOf = (engine: string): EventInbox => {
    const inbox =
      inboxes.get(engine) ?? eventInbox({ handle: (event) => relay.handle(event, engine), timers, random, log })
    inboxes.set(engine, inbox)
    return inbox
  }
  const sum = (count: (inbox: EventInbox) => number) => [...inboxes.values()].reduce((all, one) => all + count(one), 0)
  let read = 0
  const tellEngineChange = engineStateTeller({ subscriptions: wanted, outbox, clock })
  const untold = new Map<string, () => void>()

  return {
    accept: (event, engineName) => {
      read += 1
      if (wanted.concerns(eventNameOf(event))) inboxOf(engineName).add(event)
    },
    engineChanged: (engine, kind) => {
      const tell = () => tellEngineChange(kind, engine)
      if (wanted.isKnown) tell()
      else untold.set(engine.name, tell)
    },
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
      await Promise.all([...inboxes.values()].map((inbox) => inbox.settled()))
      await Promise.all([outbox.drained(), writer.flushed()])
    },
    get waiting() {
      return sum((inbox) => inbox.waiting) + outbox.waiting
    },
    get lagMs() {
      return Math.max(0, clock.now() - (outbox.oldestAt ?? clock.now()))
    },
    counters: () => ({
      eventsRead: read,
      eventsRelayed: relay.counts.relayed,
      eventsPublished: outbox.counts.published,
      eventsRepeated: outbox.counts.repeated,
      eventsDropped: outbox.counts.dropped + sum((inbox) => inbox.counts.dropped),
      eventsUnreadable: sum((inbox) => inbox.counts.unreadable),
      eventsWithoutDomain: relay.counts.withoutDomain,
      eventsWaiting: sum((inbox) => inbox.waiting) + outbox.waiting,
      accounts: presence.accounts,
    }),
  }
}
