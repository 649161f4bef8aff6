import { knownAccountField } from '../../core/cdr/end-fields.ts'
import { keptFields } from '../../core/cdr/kept-fields.ts'
import { DomainError } from '../../core/errors.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { Clock } from '../../core/time.ts'
import { type Channel, isLifeEvent } from '../calls/channel.ts'
import { type ChannelRegistry, firstExisting } from '../calls/channel-registry.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import { type ReadField, eventDomainCandidates, legDomainCandidates } from '../../core/channels/leg-domain.ts'
import { type EngineEvent, eventNameOf } from '../runtime/engine.ts'
import type { EventLinks } from '../links/event-links.ts'
import { type KnownEvent, accountOf, accountStatus, causeOf, causeOfFinding } from './account-status.ts'
import type { AfterOthers } from './after-others.ts'
import { prefetch } from './prefetch.ts'
import { InTurn } from './in-turn.ts'
import { endings, isLastWord, isOvertaken, missedBefore } from './missed-events.ts'
import { channelEventId, eventId, occurredAt, platformEvent } from './platform-event.ts'
import type { PresenceTracker, StateChange } from './presence.ts'
import type { PresenceWriter } from './presence-writer.ts'
import { type Registration, readRegistration } from './registration.ts'
import type { Subscriptions } from './subscriptions.ts'
import { SyntheticEvent } from './synthetic-event.ts'

/** Takes the events of the engines and passes on what hooks want. */
export interface EventRelay {
  /**
   * Handles one event of the engine named: finds its domain, keeps channels and presence up to date, and puts into the
   * outbox what a hook of that domain wants. A {@link SyntheticEvent} counts only if the engine has not sent the
   * same in the meantime. Rejects with a `DomainError`, and has done nothing, while a store that it asks is gone.
   */
  handle(event: EngineEvent, engine: string): Promise<void>
  /** Begins to ask for what an event will need to know that has to wait for its turn; at once, and never failing. */
  foresee(event: EngineEvent): void
  /** Notes that a phone is found to be there or gone, without an event of it. The domain must be loaded. */
  found(domain: string, registration: Registration): void
  readonly counts: {
    /** Handed to the outbox. */
    readonly relayed: number
    /** Wanted by some domain, but of none. */
    readonly withoutDomain: number
    /** Synthetic events for missed ones, wanted or not. */
    readonly recovered: number
    /** Ends of legs handed over for the index of CDRs. */
    readonly cdrs: number
  }
}

export interface RelayDeps {
  readonly subscriptions: Subscriptions
  readonly registry: ChannelRegistry
  readonly domains: DomainNames
  readonly presence: PresenceTracker
  readonly writer: PresenceWriter
  readonly outbox: Pick<AfterOthers, 'add'>
  /** Takes the ends of legs for the index of CDRs, whose order among other events does not matter. */
  readonly cdrs: { add(event: PlatformEvent): boolean }
  readonly clock: Clock
  /** Called with every event of a channel whose domain is known, the made ones included; must not throw. */
  readonly onChannelEvent?: ((event: EngineEvent, domain: string, channel: Channel) => void) | undefined
  /** Called with each event that belongs to no domain; must not throw. */
  readonly onUnowned?: ((read: ReadField) => void) | undefined
  /** Knows which events may have been missed. */
  readonly links: Pick<EventLinks, 'mayHaveMissed' | 'hasGaps' | 'beganLately'>
}

/** The form of a call's uuid that the queue accepts. */
const maxUuidLength = 128

/** Makes a relay. */
export function eventRelay(parts: RelayDeps): EventRelay {
  const { subscriptions, registry, presence, writer, outbox, clock } = parts
  const counts = { relayed: 0, withoutDomain: 0, recovered: 0, cdrs: 0 }

  const relay = (event: PlatformEvent, engine: string) => {
    if (subscriptions.wants(event.domain, event.name) && outbox.add(event, engine)) counts.relayed += 1
  }

  const notePresence = (known: KnownEvent, engine: string) => {
    const at = occurredAt(known.event, clock.now())
    const change = stateChange(parts, known, at)
    if (change === 'no account') return
    writer.wake()
    if (change !== undefined) relay(accountStatus(change, causeOf(known), at), engine)
  }

  /**
   * Every leg that ends has a CDR, whether a hook wants its end or not. A made end has an id of its own: the queue would
   * take the one that another connector has heard, and that says more, for its repetition.
   */
  const tellCdrs = ({ event, id, domain, channel }: KnownEvent) => {
    if (event.name !== 'CHANNEL_HANGUP_COMPLETE' || domain === '' || channel === undefined) return
    const own = event instanceof SyntheticEvent ? `cdr:made:${id}` : `cdr:${id}`
    const end = platformEvent(event, own, domain, { channel, now: clock.now() })
    const fields = keptFields({ ...end.fields, [knownAccountField]: channel.presenceId })
    if (parts.cdrs.add({ ...end, fields, reader: 'cdr' })) counts.cdrs += 1
  }

  /** The synchronous part, which cannot fail, so that a retried event has had no effect yet. */
  const apply = (known: KnownEvent, engine: string) => {
    const { event, id, domain } = known
    const name = eventNameOf(event)
    if (event.name === 'CHANNEL_ANSWER') noteAlias(registry, event)
    if (domain === '') parts.onUnowned?.(readerOf(event))
    if (domain === '') counts.withoutDomain += subscriptions.isWanted(name) ? 1 : 0
    else notePresence(known, engine)
    tellCdrs(known)
    if (domain !== '' && known.channel !== undefined) parts.onChannelEvent?.(event, domain, known.channel)
    if (event.name === 'CHANNEL_DESTROY') registry.end(event.uuid.toLowerCase(), event.coreUuid)
    if (subscriptions.wants(domain, name))
      relay(platformEvent(event, id, domain, { channel: known.channel, now: clock.now() }), engine)
  }

  const applyMade = (event: SyntheticEvent, engine: string) => {
    counts.recovered += 1
    const id = channelEventId(event.coreUuid, event.uuid, event.name)
    apply({ event, id, domain: event.channel.domain, channel: event.channel }, engine)
  }

  const applyHeard = (known: KnownEvent, engine: string) => {
    const { event, channel } = known
    const isLast = isLastWord(event)
    if (channel === undefined || !(isLast || isLifeEvent(event.name))) return apply(known, engine)
    for (const made of missedBefore(parts, event, channel, engine)) applyMade(made, engine)
    const isFirst = isLifeEvent(event.name) && registry.see(channel.uuid, event.name)
    apply(isFirst ? { ...known, id: channelEventId(event.coreUuid, channel.uuid, event.name) } : known, engine)
    if (isLast) registry.end(channel.uuid, event.coreUuid)
  }

  const load = (domain: string): void | Promise<void> => {
    const loading = domain === '' ? undefined : presence.load(domain)
    return loading === undefined ? undefined : loaded(loading)
  }
  const loaded = async (loading: Promise<void>) => {
    await loading
    ahead.answered()
    writer.wake()
  }
  const ahead = prefetch({ domainOf: (event) => domainOf(parts, event), load })

  return {
    handle: async (event, engine) => {
      if (event instanceof InTurn) return event.run()
      if (!subscriptions.isKnown) throw new DomainError('store_unavailable', 'what hooks want is not known yet')
      if (event instanceof SyntheticEvent) {
        await load(event.channel.domain)
        return isOvertaken(registry, event) ? undefined : applyMade(event, engine)
      }
      const id = eventId(event)
      if (id === undefined) throw new TypeError('an event without Core-UUID and Event-Sequence')
      const learned = isOfChannel(event)
        ? registry.learn(event.uuid.toLowerCase(), readerOf(event), engine, 'event')
        : undefined
      const channel = learned instanceof Promise ? await learned : learned
      const found = channel?.domain ?? domainOf(parts, event)
      const domain = typeof found === 'string' ? found : await found
      await load(domain)
      applyHeard({ event, id, domain, channel }, engine)
    },
    foresee: (event) => ahead.look(event),
    found: (domain, registration) => {
      const at = clock.now()
      const change = presence.registered(domain, registration, at)
      writer.wake()
      if (change !== undefined) relay(accountStatus(change, causeOfFinding(change), at), '')
    },
    counts,
  }
}

/** The core is known before anything is decoded; asking for it again would read the whole event. */
function readerOf(event: EngineEvent): (name: string) => string | undefined {
  return (name) => {
    if (name === 'Core-UUID') return event.coreUuid || undefined
    return name === 'Event-Name' ? event.name : event.header(name)
  }
}

/** Whether the engine itself speaks of a channel; a CUSTOM event with a uuid can be anybody's. */
function isOfChannel(event: EngineEvent): boolean {
  return event.uuid !== '' && event.uuid.length <= maxUuidLength && event.name !== 'CUSTOM'
}

function domainOf({ registry, domains }: RelayDeps, event: EngineEvent): string | Promise<string> {
  const read = (name: string) => event.header(name)
  const uuid = event.uuid.toLowerCase()
  const recorded = uuid === '' ? undefined : registry.domainOf(uuid)
  if (recorded !== undefined) return recorded
  const legs = uuid === '' ? [] : legDomainCandidates(read, (leg) => registry.domainOf(leg))
  return firstExisting([...legs, ...eventDomainCandidates(read)], domains)
}

/** An account with two phones: the channel that answers may not be the one that was asked for. */
function noteAlias(registry: ChannelRegistry, event: EngineEvent): void {
  const chosen = event.header('variable_origination_uuid')?.toLowerCase()
  if (chosen !== undefined) registry.alias(chosen, event.uuid.toLowerCase())
}

function stateChange(
  { presence, registry }: RelayDeps,
  { event, domain, channel }: KnownEvent,
  at: number,
): StateChange | undefined | 'no account' {
  const registration = readRegistration(event)
  if (registration !== undefined) return presence.registered(domain, registration, at)
  const account = accountOf(channel, domain)
  if (channel === undefined || account === undefined) return 'no account'
  const live = registry.find(channel.uuid)
  const isLive = live?.uuid === channel.uuid
  // A call that another process of the engine has recovered goes on.
  if (isLive && live.core !== '' && live.core !== channel.core) return 'no account'
  const isUp = isLive && channel.callState !== 'HANGUP' && !endings.has(event.name)
  return presence.called(account, channel.uuid, isUp, at)
}
