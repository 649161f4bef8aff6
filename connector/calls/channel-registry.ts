import { callIdOf } from '../../core/channels/call-id.ts'
import type { KnownCall } from '../../core/channels/known-call.ts'
import { type CallWatcher, type Channel, type LifeEvent, mustBeStored } from './channel.ts'
import {
  type ChannelReport,
  type Entry,
  type Source,
  blankEntry,
  isOver,
  isReused,
  isSeen,
  learned,
  withSeen,
} from './channel-entry.ts'
import type { DomainNames } from './domain-names.ts'
import type { EngineClocks } from '../runtime/engine-clocks.ts'
import { type ReadField, legDomainCandidates } from '../../core/channels/leg.ts'

export type { Channel } from './channel.ts'

/** Ten times the channels of a large engine; 50 MB when all of them are there, 1 kB each. */
const defaultLimit = 50_000

/** The engine sends events of a channel after its end (`CHANNEL_STATE` `CS_DESTROY`), and of its other leg. */
const endedLimit = 5_000

/** The channels that are up, by uuid. Learned from the engines and from the calls that the platform placed. */
export class ChannelRegistry {
  readonly #domains: DomainNames
  readonly #limit: number
  readonly #clocks: Pick<EngineClocks, 'reader'> | undefined
  readonly #live = new Map<string, Entry>()
  readonly #ended = new Map<string, Entry>()
  readonly #awaited = new Set<string>()
  readonly #aliases = new Map<string, string>()
  readonly #spellings = new Map<string, string>()
  readonly #revisions = new Map<string, number>()
  /** Engines all of whose live channels are known. */
  readonly #confirmed = new Set<string>()
  #changes = 0
  #evicted = 0
  #watcher: CallWatcher = { live: () => {}, ended: () => {} }

  /** Has room for `limit` channels. Times in answers of engines are read by `clocks`, as those of events are. */
  constructor(
    domains: DomainNames,
    { limit = defaultLimit, clocks }: { readonly limit?: number; readonly clocks?: Pick<EngineClocks, 'reader'> } = {},
  ) {
    this.#domains = domains
    this.#limit = limit
    this.#clocks = clocks
  }

  get size(): number {
    return this.#live.size
  }

  get evicted(): number {
    return this.#evicted
  }

  /** Returns the id of a channel, and remembers how its engine spells it. */
  idOf(spelled: string): string {
    const id = callIdOf(spelled)
    if (id === spelled) return id
    if (!this.#spellings.has(id) && this.#spellings.size >= this.#limit) dropOldest(this.#spellings)
    this.#spellings.set(id, spelled)
    return id
  }

  /** How the engine of a channel spells its id: the engine compares ids exactly. */
  spellingOf(id: string): string {
    return this.#spellings.get(id) ?? id
  }

  /** A channel that is up, by its uuid or by the uuid that was chosen for it. */
  find(uuid: string): Channel | undefined {
    return this.#live.get(uuid) ?? this.#live.get(this.#aliases.get(uuid) ?? '')
  }

  /** The domain of a leg that is up or ended a short while ago. */
  domainOf(uuid: string): string | undefined {
    return (this.find(uuid) ?? this.#ended.get(uuid))?.domain || undefined
  }

  /** Whether the channel was destroyed a short while ago. */
  hasEnded(uuid: string): boolean {
    return this.#ended.has(uuid)
  }

  /**
   * Notes that the platform is about to place a call with this uuid at an engine, whose answer is awaited; one that has
   * ended stays so.
   */
  place(uuid: string, domain: string, presenceId: string, engine: string): void {
    const placed = { ...blankEntry(uuid), engine, domain, presenceId, isAccountKnown: true }
    if (!this.#live.has(uuid) && !this.#ended.has(uuid)) this.#keep(placed)
    this.#awaited.add(uuid)
  }

  /** The originate was answered or lost; from now on a missing channel means that it is gone. */
  answered(uuid: string): void {
    this.#awaited.delete(uuid)
  }

  isAwaited(uuid: string): boolean {
    return this.#awaited.has(uuid)
  }

  /** Forgets a placed call that never became a channel; one that its engine has reported stays. */
  unplace(uuid: string): void {
    this.#awaited.delete(uuid)
    const placed = this.#live.get(uuid)
    if (placed?.core === '' && !placed.proven) this.#live.delete(uuid)
  }

  /** The engine made `actual` where `chosen` was asked for: both now lead to it. */
  alias(chosen: string, actual: string): void {
    if (chosen === actual) return
    if (this.#aliases.size >= this.#limit) dropOldest(this.#aliases)
    this.#aliases.set(chosen, actual)
  }

  /**
   * Adds a report of an engine about a channel and finds its domain. One that has ended stays so, and is answered as it
   * was, unless another process of the engine reports it, or an event shows that its end was only taken for granted.
   * Rejects when the store of domains is gone.
   */
  learn(uuid: string, given: ReadField, engine: string, source: Source = 'answer'): Channel | Promise<Channel> {
    const read = source === 'answer' ? (this.#clocks?.reader(given, engine) ?? given) : given
    const report = { read, engine, source }
    const gone = this.#ended.get(uuid)
    if (gone !== undefined && isOver(gone, report)) return gone
    if (gone !== undefined && this.#ended.delete(uuid) && !isReused(gone, report)) this.#watcher.live(this.#keep(gone))
    if (this.#live.get(uuid)?.domain) return this.#update(uuid, report, '')
    const legs = legDomainCandidates(read, (leg) => this.domainOf(leg))
    const domain = firstExisting(legs, this.#domains)
    if (typeof domain === 'string') return this.#update(uuid, report, domain)
    return domain.then((name) => this.#update(uuid, report, name))
  }

  /** Notes an event of a channel's life that its engine sent. `true` when it is the first of this kind. */
  see(uuid: string, name: LifeEvent): boolean {
    const from = this.#live.has(uuid) ? this.#live : this.#ended
    const entry = from.get(uuid)
    if (entry === undefined) return true
    if (isSeen(entry, name)) return false
    from.set(uuid, withSeen(entry, name))
    return true
  }

  /** Whether {@link see} has noted the event; of a channel that is long gone nothing is remembered. */
  hasSeen(uuid: string, name: LifeEvent): boolean {
    return isSeen(this.#live.get(uuid) ?? this.#ended.get(uuid), name)
  }

  /**
   * The channel of a process of an engine is gone: its engine destroyed it, or must have. Where another process has
   * recovered the call under its uuid, that channel stays.
   */
  end(uuid: string, core: string): void {
    const entry = this.#live.get(uuid)
    if (entry === undefined || (entry.core !== '' && entry.core !== core)) return
    this.#live.delete(uuid)
    this.touch(entry.domain)
    if (this.#ended.size >= endedLimit) dropOldest(this.#ended)
    this.#ended.set(uuid, entry)
    this.#watcher.ended(entry)
  }

  /**
   * An engine's event link broke: ends may have been missed, so nothing of that engine is proven any more. `since` is
   * the moment up to which everything was heard, epoch milliseconds; it may be given later than the loss.
   */
  markUnconfirmed(engine: string, since?: number): void {
    this.#confirmed.delete(engine)
    for (const entry of this.#live.values()) {
      if (entry.engine !== engine) continue
      const unsureSince = entry.unsureSince ?? since
      this.#live.set(entry.uuid, { ...entry, proven: false, heard: false, unsureSince })
    }
  }

  /** The engine lists the channel while its event link is up: it had not ended when the link came up. */
  confirm(uuid: string): void {
    const entry = this.#live.get(uuid)
    if (entry?.unsureSince !== undefined) this.#live.set(uuid, { ...entry, unsureSince: undefined })
  }

  /** All live channels of an engine are known, until its event link breaks. */
  confirmAll(engine: string): void {
    this.#confirmed.add(engine)
  }

  /** Whether all live channels of an engine are known: what is stored of it besides has ended. */
  isConfirmed(engine: string): boolean {
    return this.#confirmed.has(engine)
  }

  proven(engine?: string): Channel[] {
    return [...this.#live.values()].filter(
      (channel) => channel.proven && (engine === undefined || channel.engine === engine),
    )
  }

  /** Every channel of an engine that is taken to be up, whether proven or not. */
  of(engine: string): Channel[] {
    return [...this.#live.values()].filter((channel) => channel.engine === engine)
  }

  /**
   * When the channels of a domain last changed, as a count of all changes; `null` stands for all channels. What was
   * seen at `revision(null)` still holds for a domain whose revision is no higher.
   */
  revision(domain: string | null): number {
    return domain === null ? this.#changes : (this.#revisions.get(domain) ?? 0)
  }

  /** Something was done to a channel of the domain whose effect the engine will tell of later. */
  touch(domain: string): void {
    if (!this.#revisions.has(domain) && this.#revisions.size >= this.#limit) dropOldest(this.#revisions)
    this.#changes += 1
    this.#revisions.set(domain, this.#changes)
  }

  /**
   * Takes up a channel that another connector knew; nothing of it is proven. Everything of it was heard up to `since`,
   * epoch milliseconds. `engine` is the present name of its engine. `false` when it is known here already, or to have
   * ended: then it is still stored and must not be.
   */
  recall(call: KnownCall, since = 0, engine = call.engine): boolean {
    const gone = this.#ended.get(call.uuid)
    if (gone !== undefined) this.#watcher.ended(gone)
    if (gone !== undefined || this.find(call.uuid) !== undefined) return false
    const kept = this.#keep({ ...blankEntry(call.uuid), ...call, engine, unsureSince: since })
    if (engine !== call.engine) this.#watcher.live(kept)
    return true
  }

  watch(watcher: CallWatcher): void {
    this.#watcher = watcher
  }

  #update(uuid: string, report: ChannelReport, domain: string): Channel {
    const before = this.#live.get(uuid)
    const after = this.#keep(learned(before ?? blankEntry(uuid), report, domain, this.#domains))
    if (mustBeStored(before, after)) this.#watcher.live(after)
    if (!before?.proven || before.callState !== after.callState) this.touch(after.domain)
    return after
  }

  #keep(entry: Entry): Entry {
    const isFull = !this.#live.has(entry.uuid) && this.#live.size >= this.#limit
    if (isFull && dropOldest(this.#live)) this.#evicted += 1
    this.#live.set(entry.uuid, entry)
    return entry
  }
}

/**
 * Returns the first of the names that is a domain; empty if none is. Asks for no name after it. Returns at once,
 * without a promise, if all that it asks for are cached.
 */
export function firstExisting(names: Iterable<string>, domains: DomainNames): string | Promise<string> {
  return firstLeft(names[Symbol.iterator](), domains)
}

function firstLeft(names: Iterator<string>, domains: DomainNames): string | Promise<string> {
  for (let next = names.next(); next.done !== true; next = names.next()) {
    const name = domains.tenantOf?.(next.value) ?? next.value
    const exists = domains.exists(name)
    if (exists === true) return name
    if (exists !== false) return exists.then((yes) => (yes ? name : firstLeft(names, domains)))
  }
  return ''
}

function dropOldest(from: Map<string, unknown>): boolean {
  const oldest = from.keys().next()
  return oldest.done === true ? false : from.delete(oldest.value)
}
