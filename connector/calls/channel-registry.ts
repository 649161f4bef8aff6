import type { KnownCall } from '../../core/channels/known-call.ts'
import { type CallWatcher, isNews } from './call-watcher.ts'
import type { Channel, LifeEvent } from './channel.ts'
import {
  type Entry,
  type ChannelReport,
  type Source,
  blankEntry,
  isOver,
  isSeen,
  learned,
  withSeen,
} from './channel-entry.ts'
import type { DomainNames } from './domain-names.ts'
import { type ReadField, legDomainCandidates } from '../../core/channels/leg-domain.ts'

export type { Channel } from './channel.ts'

/** The channels that are up, by uuid. Learned from the engines and from the calls that the platform placed. */
export interface ChannelRegistry {
  /** A channel that is up, by its uuid or by the uuid that was chosen for it. */
  find(uuid: string): Channel | undefined
  /** The domain of a leg that is up or ended a short while ago. */
  domainOf(uuid: string): string | undefined
  /** Whether the channel was destroyed a short while ago. */
  hasEnded(uuid: string): boolean
  /**
   * Notes that the platform is about to place a call with this uuid at an engine, whose answer is awaited; one that has
   * ended stays so.
   */
  place(uuid: string, domain: string, presenceId: string, engine: string): void
  /** The engine has answered for a placed call, or its answer is lost: an engine without such a channel has none. */
  answered(uuid: string): void
  /** Whether a placed call may have no channel yet. */
  isAwaited(uuid: string): boolean
  /** Forgets a placed call that never became a channel; one that its engine has reported stays. */
  unplace(uuid: string): void
  /** The engine made `actual` where `chosen` was asked for: both now lead to it. */
  alias(chosen: string, actual: string): void
  /**
   * Adds a report of an engine about a channel and finds its domain. One that has ended stays so, and is answered as it
   * was, unless another process of the engine reports it, or an event shows that its end was only taken for granted.
   * Rejects when the store of domains is gone.
   */
  learn(uuid: string, read: ReadField, engine: string, source?: Source): Channel | Promise<Channel>
  /** Notes an event of a channel's life that its engine sent. `true` when it is the first of this kind. */
  see(uuid: string, name: LifeEvent): boolean
  /** Whether {@link see} has noted the event; of a channel that is long gone nothing is remembered. */
  hasSeen(uuid: string, name: LifeEvent): boolean
  /**
   * The channel of a process of an engine is gone: its engine destroyed it, or must have. Where another process has
   * recovered the call under its uuid, that channel stays.
   */
  end(uuid: string, core: string): void
  /**
   * An engine's event link broke: ends may have been missed, so nothing of that engine is proven any more. `since` is the
   * moment up to which everything was heard, epoch milliseconds; it may be given later than the loss.
   */
  doubt(engine: string, since?: number): void
  /** The engine lists the channel while its event link is up: it had not ended when the link came up. */
  confirm(uuid: string): void
  /** Every reported channel that is up: of one engine, or of all where none is named. */
  proven(engine?: string): Channel[]
  /** Every channel of an engine that is taken to be up, whether proven or not. */
  of(engine: string): Channel[]
  /**
   * When the channels of a domain last changed, as a count of all changes; `null` stands for all channels. What was
   * seen at `revision(null)` still holds for a domain whose revision is no higher.
   */
  revision(domain: string | null): number
  /** Something was done to a channel of the domain whose effect the engine will tell of later. */
  touch(domain: string): void
  /**
   * Takes up a channel that another connector knew; nothing of it is proven. Everything of it was heard up to `since`,
   * epoch milliseconds. `false` when it is known here already, or to have ended.
   */
  recall(call: KnownCall, since?: number): boolean
  /** Notifies `watcher` from now on, and no other. */
  watch(watcher: CallWatcher): void
  readonly size: number
  /** Channels that were dropped because there were too many. */
  readonly evicted: number
}

/** Ten times the channels of a large engine; 50 MB when all of them are there, 1 kB each. */
const defaultLimit = 50_000

/** The engine still sends events of a channel after it was destroyed (`CHANNEL_STATE` `CS_DESTROY`), and of its other leg. */
const endedLimit = 5_000

/** Makes an empty registry of at most `limit` channels. */
export function channelRegistry(domains: DomainNames, limit = defaultLimit): ChannelRegistry {
  const live = new Map<string, Entry>()
  const ended = new Map<string, Entry>()
  const awaited = new Set<string>()
  const aliases = new Map<string, string>()
  const revisions = new Map<string, number>()
  let changes = 0
  let evicted = 0
  let watcher: CallWatcher = { live: () => {}, ended: () => {} }

  const touch = (domain: string): void => {
    if (!revisions.has(domain) && revisions.size >= limit) dropOldest(revisions)
    changes += 1
    revisions.set(domain, changes)
  }
  const keep = (entry: Entry): Entry => {
    if (!live.has(entry.uuid) && live.size >= limit && dropOldest(live)) evicted += 1
    live.set(entry.uuid, entry)
    return entry
  }
  const find = (uuid: string) => live.get(uuid) ?? live.get(aliases.get(uuid) ?? '')
  const domainOf = (uuid: string) => (find(uuid) ?? ended.get(uuid))?.domain || undefined

  const update = (uuid: string, report: ChannelReport, domain: string): Channel => {
    const before = live.get(uuid)
    const after = keep(learned(before ?? blankEntry(uuid), report, domain, domains))
    if (isNews(before, after)) watcher.live(after)
    if (!before?.proven || before.callState !== after.callState) touch(after.domain)
    return after
  }

  return {
    find,
    domainOf,
    hasEnded: (uuid) => ended.has(uuid),
    place: (uuid, domain, presenceId, engine) => {
      const placed = { ...blankEntry(uuid), engine, domain, presenceId, isAccountKnown: true }
      if (!live.has(uuid) && !ended.has(uuid)) keep(placed)
      awaited.add(uuid)
    },
    answered: (uuid) => void awaited.delete(uuid),
    isAwaited: (uuid) => awaited.has(uuid),
    unplace: (uuid) => {
      awaited.delete(uuid)
      const placed = live.get(uuid)
      if (placed?.core === '' && !placed.proven) live.delete(uuid)
    },
    alias: (chosen, actual) => {
      if (chosen === actual) return
      if (aliases.size >= limit) dropOldest(aliases)
      aliases.set(chosen, actual)
    },
    learn: (uuid, read, engine, source = 'answer') => {
      const report = { read, engine, source }
      const gone = ended.get(uuid)
      if (gone !== undefined && isOver(gone, report)) return gone
      if (gone !== undefined && ended.delete(uuid)) watcher.live(keep(gone))
      if (live.get(uuid)?.domain) return update(uuid, report, '')
      const domain = firstExisting(legDomainCandidates(read, domainOf), domains)
      const known = (name: string) => update(uuid, report, name)
      return typeof domain === 'string' ? known(domain) : domain.then(known)
    },
    see: (uuid, name) => {
      const from = live.has(uuid) ? live : ended
      const entry = from.get(uuid)
      if (entry === undefined) return true
      if (isSeen(entry, name)) return false
      from.set(uuid, withSeen(entry, name))
      return true
    },
    hasSeen: (uuid, name) => isSeen(live.get(uuid) ?? ended.get(uuid), name),
    end: (uuid, core) => {
      const entry = live.get(uuid)
      if (entry === undefined || (entry.core !== '' && entry.core !== core)) return
      live.delete(uuid)
      touch(entry.domain)
      if (ended.size >= endedLimit) dropOldest(ended)
      ended.set(uuid, entry)
      watcher.ended(entry)
    },
    recall: (call, since = 0) => {
      if (find(call.uuid) !== undefined || ended.has(call.uuid)) return false
      keep({ ...blankEntry(call.uuid), ...call, unsureSince: since })
      return true
    },
    watch: (newWatcher) => {
      watcher = newWatcher
    },
    doubt: (engine, since) => {
      for (const entry of live.values()) {
        if (entry.engine !== engine) continue
        live.set(entry.uuid, { ...entry, proven: false, heard: false, unsureSince: entry.unsureSince ?? since })
      }
    },
    confirm: (uuid) => {
      const entry = live.get(uuid)
      if (entry?.unsureSince !== undefined) live.set(uuid, { ...entry, unsureSince: undefined })
    },
    proven: (engine) =>
      [...live.values()].filter((channel) => channel.proven && (engine === undefined || channel.engine === engine)),
    of: (engine) => [...live.values()].filter((channel) => channel.engine === engine),
    revision: (domain) => (domain === null ? changes : (revisions.get(domain) ?? 0)),
    touch,
    get size() {
      return live.size
    },
    get evicted() {
      return evicted
    },
  }
}

/** The first of the names that is a domain; empty when none is. At once when all that is asked for is remembered. */
export function firstExisting(names: readonly string[], domains: DomainNames): string | Promise<string> {
  for (const [index, given] of names.entries()) {
    const name = domains.tenantOf?.(given) ?? given
    const exists = domains.exists(name)
    if (exists === true) return name
    if (exists !== false) return exists.then((yes) => (yes ? name : firstExisting(names.slice(index + 1), domains)))
  }
  return ''
}

function dropOldest(from: Map<string, unknown>): boolean {
  const oldest = from.keys().next()
  return oldest.done === true ? false : from.delete(oldest.value)
}
