import { callIdOf } from '../../core/channels/call-id.ts'
import { DomainError } from '../../core/errors.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { Clock } from '../../core/time.ts'
import { type Channel, isLifeEvent } from '../calls/channel.ts'
import { type ChannelRegistry, firstExisting } from '../calls/channel-registry.ts'
import type { DomainNames } from '../calls/domain-names.ts'
import { type ReadField, eventDomainCandidates, legDomainCandidates } from '../../core/channels/leg.ts'
import { type EngineEvent, eventNameOf } from '../runtime/engine.ts'
import { type KnownEvent, accountOf, accountStatus, causeOf, causeOfFinding } from './account-status.ts'
import type { EventBuffer, Turn } from '../buffer/event-buffer.ts'
import { type Prefetch, prefetch } from './prefetch.ts'
import { type KnownGaps, endings, isLastWord, isOvertaken, missedBefore } from './missed-events.ts'
import { channelEventId, endOfLeg, eventId, occurredAt, platformEvent } from './platform-event.ts'
import type { PresenceTracker, StateChange } from './presence.ts'
import type { PresenceWriter } from './presence-writer.ts'
import type { ReconnectHold } from './reconnect-hold.ts'
import { type Registration, readRegistration } from './registration.ts'
import type { Subscriptions } from './subscriptions.ts'
import { SyntheticEvent } from '../calls/synthetic-event.ts'
import { UnownedCalls } from './unowned-calls.ts'

export interface RelayDeps {
  readonly subscriptions: Subscriptions
  readonly registry: ChannelRegistry
  readonly domains: DomainNames
  readonly presence: PresenceTracker
  readonly writer: PresenceWriter
  readonly hold: Pick<ReconnectHold, 'add'>
  /** Takes the events of the platform itself. */
  readonly buffer: Pick<EventBuffer, 'tell'>
  readonly clock: Clock
  /** Called with every event of a channel whose domain is known, the made ones included; must not throw. */
  readonly onChannelEvent?: ((event: EngineEvent, domain: string, channel: Channel) => void) | undefined
  /** Called with each event that belongs to no domain; must not throw. */
  readonly onUnowned?: ((read: ReadField) => void) | undefined
  readonly links: KnownGaps
}

/** The form of a call's uuid that the queue accepts. */
const maxUuidLength = 128

/** Takes the events of the engines and passes on what hooks want. */
export class EventRelay {
  /**
   * Events: wanted by some domain, but of none; and synthetic ones for missed ones, wanted or not. Registrations of
   * contacts that are not rung.
   */
  readonly counts = { withoutDomain: 0, recovered: 0, contactsRefused: 0 }
  readonly #deps: RelayDeps
  readonly #ahead: Prefetch
  readonly #unowned = new UnownedCalls()

  constructor(deps: RelayDeps) {
    this.#deps = deps
    this.#ahead = prefetch({ domainOf: (event) => domainOf(deps, event), load: (domain) => this.#load(domain) })
  }

  /**
   * Handles one event of an engine: finds its domain, keeps channels and presence up to date, and sends what a hook of
   * that domain wants. A {@link SyntheticEvent} counts only if the engine has not sent the same in the meantime.
   * Rejects with a `DomainError`, and has done nothing, while a store that it asks is gone.
   */
  async handle(turn: Turn): Promise<void> {
    const { subscriptions, registry } = this.#deps
    const { event, engine } = turn
    if (!subscriptions.isKnown) throw new DomainError('store_unavailable', 'what hooks want is not known yet')
    if (event instanceof SyntheticEvent) {
      await this.#load(event.channel.domain)
      return isOvertaken(registry, event) ? undefined : this.#applyMade(event, turn)
    }
    const id = eventId(event)
    if (id === undefined) throw new TypeError('an event without Core-UUID and Event-Sequence')
    const learned = isOfChannel(event)
      ? registry.learn(registry.idOf(event.uuid), readerOf(event), engine, 'event')
      : undefined
    const channel = learned instanceof Promise ? await learned : learned
    const found = channel?.domain ?? domainOf(this.#deps, event)
    const domain = typeof found === 'string' ? found : await found
    await this.#load(domain)
    this.#applyHeard({ event, id, domain, channel }, turn)
  }

  /** Begins to ask for what an event will need to know that has to wait for its turn; at once, and never failing. */
  foresee(event: EngineEvent): void {
    this.#ahead.look(event)
  }

  /** Notes that a phone is found to be there or gone, without an event of it. The domain must be loaded. */
  found(domain: string, registration: Registration): void {
    const { clock, presence, writer } = this.#deps
    const at = clock.now()
    const change = presence.registered(domain, registration, at)
    writer.wake()
    if (change !== undefined) this.#tell(accountStatus(change, causeOfFinding(change), at), at)
  }

  #load(domain: string): void | Promise<void> {
    const loading = domain === '' ? undefined : this.#deps.presence.load(domain)
    return loading === undefined ? undefined : this.#loaded(loading)
  }

  async #loaded(loading: Promise<void>): Promise<void> {
    await loading
    this.#ahead.answered()
    this.#deps.writer.wake()
  }

  #applyHeard(known: KnownEvent, turn: Turn): void {
    const { registry } = this.#deps
    const { event, channel, domain } = known
    const begun = domain === '' || channel === undefined ? undefined : this.#unowned.take(channel.uuid)
    if (begun !== undefined) this.#relayWanted({ ...begun, domain, channel }, turn)
    const isLast = isLastWord(event)
    if (channel === undefined || !(isLast || isLifeEvent(event.name))) return this.#apply(known, turn)
    for (const made of missedBefore(this.#deps, event, channel, turn.engine)) this.#applyMade(made, turn)
    const isFirst = isLifeEvent(event.name) && registry.see(channel.uuid, event.name)
    const id = isFirst ? channelEventId(event.coreUuid, channel.uuid, event.name) : known.id
    this.#apply({ ...known, id }, turn)
    if (isLast) registry.end(channel.uuid, event.coreUuid)
  }

  #applyMade(event: SyntheticEvent, turn: Turn): void {
    this.counts.recovered += 1
    const id = channelEventId(event.coreUuid, event.uuid, event.name)
    this.#apply({ event, id, domain: event.channel.domain, channel: event.channel }, turn)
  }

  /** The synchronous part, which cannot fail, so that a retried event has had no effect yet. */
  #apply(known: KnownEvent, turn: Turn): void {
    const { subscriptions, registry, onUnowned, onChannelEvent } = this.#deps
    const { event, domain, channel } = known
    const name = eventNameOf(event)
    if (event.name === 'CHANNEL_ANSWER') noteAlias(registry, event)
    if (domain !== '') this.#notePresence(known, turn)
    else {
      onUnowned?.(readerOf(event))
      this.counts.withoutDomain += subscriptions.isWanted(name) ? this.#withoutDomain(known) : 0
    }
    this.#relayCdr(known, turn)
    if (domain !== '' && channel !== undefined) onChannelEvent?.(event, domain, channel)
    if (event.name === 'CHANNEL_DESTROY') {
      registry.end(callIdOf(event.uuid), event.coreUuid)
      if (this.#unowned.take(callIdOf(event.uuid)) !== undefined) this.counts.withoutDomain += 1
    }
    this.#relayWanted(known, turn)
  }

  /** Keeps the beginning of a call. Returns how many events have no domain for good. */
  #withoutDomain(known: KnownEvent): number {
    const { event, channel } = known
    if (channel === undefined || event.name !== 'CHANNEL_CREATE') return 1
    return this.#unowned.keep(channel.uuid, known)
  }

  /** What an earlier process read goes before what any connector reads now. */
  #relayWanted({ event, id, domain, channel }: KnownEvent, { engine, readAt, isLeft, take }: Turn): void {
    const { subscriptions, hold } = this.#deps
    if (!subscriptions.wants(domain, eventNameOf(event))) return
    const wanted = platformEvent(event, id, domain, { channel, now: readAt })
    const send = take(wanted)
    if (isLeft) send()
    else hold.add(wanted, engine, send)
  }

  #notePresence(known: KnownEvent, { readAt, isLeft }: Turn): void {
    const at = Math.min(occurredAt(known.event, readAt), readAt)
    const registration = readRegistration(known.event)
    if (registration?.refused !== undefined) this.counts.contactsRefused += 1
    const change = stateChange(this.#deps, known, registration, { at, isLeft })
    if (change === 'no account') return
    this.#deps.writer.wake()
    if (change !== undefined) this.#tell(accountStatus(change, causeOf(known), at), readAt)
  }

  /**
   * Every leg that ends has a CDR, whether a hook wants its end or not. A made end has an id of its own: the queue
   * would take the one that another connector has heard, and that says more, for its repetition.
   */
  #relayCdr({ event, id, domain, channel }: KnownEvent, { readAt, take }: Turn): void {
    if (event.name !== 'CHANNEL_HANGUP_COMPLETE' || domain === '' || channel === undefined) return
    const own = event instanceof SyntheticEvent ? `cdr:made:${id}` : `cdr:${id}`
    const end = endOfLeg(event, own, domain, { channel, now: readAt })
    take(end)()
  }

  /**
   * What was derived from an event, and will not be derived from it again, waits in the buffer as an event of its own.
   */
  #tell(event: PlatformEvent, readAt: number): void {
    const { subscriptions, buffer } = this.#deps
    if (subscriptions.wants(event.domain, event.name)) buffer.tell(event, readAt)
  }
}

function readerOf(event: EngineEvent): ReadField {
  return (name) => event.header(name)
}

/** Whether the engine itself speaks of a channel; a CUSTOM event with a uuid can be anybody's. */
function isOfChannel(event: EngineEvent): boolean {
  return event.uuid !== '' && event.uuid.length <= maxUuidLength && event.name !== 'CUSTOM'
}

function domainOf({ registry, domains }: RelayDeps, event: EngineEvent): string | Promise<string> {
  const uuid = callIdOf(event.uuid)
  const recorded = uuid === '' ? undefined : registry.domainOf(uuid)
  return recorded ?? firstExisting(domainCandidates(registry, event), domains)
}

function* domainCandidates(registry: ChannelRegistry, event: EngineEvent): Generator<string> {
  const read = readerOf(event)
  if (event.uuid !== '') yield* legDomainCandidates(read, (leg) => registry.domainOf(leg))
  yield* eventDomainCandidates(read)
}

/** An account with two phones: the channel that answers may not be the one that was asked for. */
function noteAlias(registry: ChannelRegistry, event: EngineEvent): void {
  const chosen = event.header('variable_origination_uuid')
  if (chosen !== undefined) registry.alias(callIdOf(chosen), callIdOf(event.uuid))
}

function stateChange(
  { presence, registry }: RelayDeps,
  { event, domain, channel }: KnownEvent,
  registration: Registration | undefined,
  { at, isLeft }: { readonly at: number; readonly isLeft: boolean },
): StateChange | undefined | 'no account' {
  // An earlier process, or another connector, has observed the account since, and told of what had changed.
  const isOld = (login: string) => isLeft && at <= presence.observedAt({ domain, login })
  if (registration !== undefined) {
    return isOld(registration.login) ? 'no account' : presence.registered(domain, registration, at)
  }
  const account = accountOf(channel, domain)
  if (channel === undefined || account === undefined || isOld(account.login)) return 'no account'
  const live = registry.find(channel.uuid)
  const isLive = live?.uuid === channel.uuid
  // A call that another process of the engine has recovered goes on.
  if (isLive && live.core !== '' && live.core !== channel.core) return 'no account'
  const isUp = isLive && channel.callState !== 'HANGUP' && !endings.has(event.name)
  return presence.called(account, channel, isUp, at)
}
