import { DomainError } from '../../core/errors.ts'
import { serviceEvent } from '../../core/events/service-event.ts'
import type { PlatformEvent } from '../../core/model.ts'
import type { Clock } from '../../core/ports.ts'
import { type Channel, type ChannelRegistry, firstExisting } from '../calls/channel-registry.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import { eventDomainCandidates, legDomainCandidates } from '../calls/leg-domain.ts'
import { type EngineEvent, eventNameOf } from '../engine.ts'
import type { EventOutbox } from './event-outbox.ts'
import { eventId, occurredAt, platformEvent } from './platform-event.ts'
import type { PresenceTracker, StateChange } from './presence.ts'
import type { PresenceWriter } from './presence-writer.ts'
import { readRegistration } from './registration.ts'
import type { Subscriptions } from './subscriptions.ts'

/** Takes the events of the engines and passes on what hooks want. */
export interface EventRelay {
  /**
   * Handles one event of the engine named: finds its domain, keeps channels and presence up to date, and puts into the outbox what a hook
   * of that domain wants. Rejects with a `DomainError`, and has done nothing, while a store that it asks is gone.
   */
  handle(event: EngineEvent, engine: string): Promise<void>
  readonly counts: {
    /** Handed to the outbox. */
    readonly relayed: number
    /** Wanted by some hook, but of no domain. */
    readonly withoutDomain: number
  }
}

/** What a relay is made from. */
export interface RelayParts {
  readonly subscriptions: Subscriptions
  readonly registry: ChannelRegistry
  readonly domains: DomainNames
  readonly presence: PresenceTracker
  readonly writer: PresenceWriter
  readonly outbox: EventOutbox
  readonly clock: Clock
}

/** An event with what was found out about it. */
interface Known {
  readonly event: EngineEvent
  readonly id: string
  /** Empty when the event is of no domain. */
  readonly domain: string
  /** Absent for an event that is not the engine's own word on a channel. */
  readonly channel: Channel | undefined
}

/** Ends of a call: with the first of them its account is free again. */
const endings: ReadonlySet<string> = new Set(['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'])

/** Makes a relay. */
export function eventRelay(parts: RelayParts): EventRelay {
  const { subscriptions, registry, presence, writer, outbox, clock } = parts
  const counts = { relayed: 0, withoutDomain: 0 }

  const relay = (event: PlatformEvent) => {
    if (subscriptions.wants(event.domain, event.name) && outbox.add(event)) counts.relayed += 1
  }

  const notePresence = ({ event, id, domain, channel }: Known) => {
    const at = occurredAt(event, clock.now())
    const change = stateChange(parts, { event, id, domain, channel }, at)
    if (change === 'no account') return
    writer.wake()
    if (change !== undefined) relay(accountStatus(change, id, at))
  }

  /** What cannot fail and does not wait, so that an event that is tried again has had no effect yet. */
  const apply = (known: Known) => {
    const { event, id, domain } = known
    const name = eventNameOf(event)
    if (event.name === 'CHANNEL_ANSWER') noteAlias(registry, event)
    if (domain === '') counts.withoutDomain += subscriptions.domainsWanting(name).length > 0 ? 1 : 0
    else notePresence(known)
    if (event.name === 'CHANNEL_DESTROY') registry.end(event.uuid.toLowerCase())
    if (subscriptions.wants(domain, name)) relay(platformEvent(event, id, domain, clock.now()))
  }

  return {
    handle: async (event, engine) => {
      if (!subscriptions.isKnown) throw new DomainError('store_unavailable', 'what hooks want is not known yet')
      const id = eventId(event)
      if (id === undefined) throw new TypeError('an event without Core-UUID and Event-Sequence')
      const learned = isOfChannel(event)
        ? registry.learn(event.uuid.toLowerCase(), (name) => event.header(name), engine)
        : undefined
      const channel = learned instanceof Promise ? await learned : learned
      const found = channel?.domain ?? domainOf(parts, event)
      const domain = typeof found === 'string' ? found : await found
      const loading = domain === '' ? undefined : presence.load(domain)
      if (loading !== undefined) {
        await loading
        writer.wake()
      }
      apply({ event, id, domain, channel })
    },
    counts,
  }
}

/** Whether the engine itself speaks of a channel; a CUSTOM event with a uuid can be anybody's. */
function isOfChannel(event: EngineEvent): boolean {
  return event.uuid !== '' && event.name !== 'CUSTOM'
}

function domainOf({ registry, domains }: RelayParts, event: EngineEvent): string | Promise<string> {
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
  { presence, registry }: RelayParts,
  { event, domain, channel }: Known,
  at: number,
): StateChange | undefined | 'no account' {
  const registration = readRegistration(event)
  if (registration !== undefined) return presence.registered(domain, registration, at)
  const account = accountOf(channel, domain)
  if (channel === undefined || account === undefined) return 'no account'
  const isLive = registry.find(channel.uuid)?.uuid === channel.uuid
  const isUp = isLive && channel.callState !== 'HANGUP' && !endings.has(event.name)
  return presence.called(account, channel.uuid, isUp, at)
}

/** The account whose phone a channel is: its presence id, when that is of the channel's own domain. */
function accountOf(channel: Channel | undefined, domain: string): { domain: string; login: string } | undefined {
  const [login = '', host, more] = channel?.presenceId.split('@') ?? []
  return login !== '' && host === domain && more === undefined ? { domain, login } : undefined
}

/** The event of a change of state; its id is derived from the engine's event, so that every connector makes the same. */
function accountStatus({ domain, login, before, after }: StateChange, cause: string, at: number): PlatformEvent {
  return serviceEvent({
    kind: 'account_status',
    id: `${cause}:account_status`,
    domain,
    occurredAt: at,
    fields: {
      'Account-User': login,
      'Account-Domain': domain,
      'Account-User-State': after,
      'Account-Previous-State': before,
      presence_id: `${login}@${domain}`,
    },
  })
}
