import type { DomainNames } from './domain-names.ts'
import { type ReadField, legDomainCandidates } from './leg-domain.ts'

/** What the connector knows of one channel of the engine. */
export interface Channel {
  readonly uuid: string
  /** The name of the engine that has it; empty while that is not known. */
  readonly engine: string
  /** Lower case; empty while no domain is known. Once known it stays. */
  readonly domain: string
  /** `<login>@<domain>` as the engine has it, lower-cased; empty when the engine has none. */
  readonly presenceId: string
  /** The engine's word, such as `ACTIVE` or `HELD`; empty when unknown. */
  readonly callState: string
  /** Whether the engine itself told of the channel since its event link was last made. */
  readonly proven: boolean
}

/** The channels that are up, by uuid. Learned from the engine and from the calls that the platform placed. */
export interface ChannelRegistry {
  /** A channel that is up, by its uuid or by the uuid that was chosen for it. */
  find(uuid: string): Channel | undefined
  /** The domain of a leg that is up or ended a short while ago. */
  domainOf(uuid: string): string | undefined
  /** Whether the engine told, a short while ago, that the channel was destroyed. */
  hasEnded(uuid: string): boolean
  /** Notes that the platform is about to place a call with this uuid at an engine. */
  place(uuid: string, domain: string, presenceId: string, engine: string): void
  /** Forgets a placed call that never became a channel. */
  unplace(uuid: string): void
  /** The engine made `actual` where `chosen` was asked for: both now lead to it. */
  alias(chosen: string, actual: string): void
  /** Takes in what an engine told of a channel and finds its domain. Rejects when the store of domains is gone. */
  learn(uuid: string, read: ReadField, engine: string): Channel | Promise<Channel>
  /** The engine destroyed the channel. */
  end(uuid: string): void
  /** An engine's event link broke: ends may have been missed, so nothing of that engine is proven any more. */
  doubt(engine: string): void
  /** Every channel that an engine told of and that is up: of one engine, or of all where none is named. */
  proven(engine?: string): Channel[]
  /**
   * When the channels of a domain last changed, as a count of all changes; `null` stands for all channels. What was
   * seen at `revision(null)` still holds for a domain whose revision is no higher.
   */
  revision(domain: string | null): number
  /** Something was done to a channel of the domain whose effect the engine will tell of later. */
  touch(domain: string): void
  readonly size: number
  /** Channels that were dropped because there were too many. */
  readonly evicted: number
}

/** Ten times the channels of a large engine. */
const defaultLimit = 50_000

/** The engine still tells of a channel after it was destroyed (`CHANNEL_STATE` `CS_DESTROY`), and of its other leg. */
const endedLimit = 5_000

/** Makes an empty registry of at most `limit` channels. */
export function channelRegistry(domains: DomainNames, limit = defaultLimit): ChannelRegistry {
  const live = new Map<string, Channel>()
  const ended = new Map<string, Channel>()
  const aliases = new Map<string, string>()
  const revisions = new Map<string, number>()
  let changes = 0
  let evicted = 0

  const touch = (domain: string): void => {
    if (!revisions.has(domain) && revisions.size >= limit) dropOldest(revisions)
    changes += 1
    revisions.set(domain, changes)
  }

  const keep = (channel: Channel): Channel => {
    if (!live.has(channel.uuid) && live.size >= limit && dropOldest(live)) evicted += 1
    live.set(channel.uuid, channel)
    return channel
  }
  const find = (uuid: string) => live.get(uuid) ?? live.get(aliases.get(uuid) ?? '')
  const domainOf = (uuid: string) => (find(uuid) ?? ended.get(uuid))?.domain || undefined

  const update = (uuid: string, read: ReadField, engine: string, domain: string): Channel => {
    const before = live.get(uuid)
    const presenceId = read('Channel-Presence-ID') ?? read('presence_id') ?? read('variable_presence_id')
    const after = keep({
      uuid,
      engine,
      domain: before?.domain || domain,
      presenceId: presenceId?.toLowerCase() ?? before?.presenceId ?? '',
      callState: read('Channel-Call-State') ?? read('callstate') ?? before?.callState ?? '',
      proven: true,
    })
    if (!before?.proven || before.callState !== after.callState) touch(after.domain)
    return after
  }

  return {
    find,
    domainOf,
    hasEnded: (uuid) => ended.has(uuid),
    place: (uuid, domain, presenceId, engine) => {
      if (!live.has(uuid))
        keep({ uuid, engine, domain, presenceId: presenceId.toLowerCase(), callState: '', proven: false })
    },
    unplace: (uuid) => {
      if (live.get(uuid)?.proven === false) live.delete(uuid)
    },
    alias: (chosen, actual) => {
      if (chosen === actual) return
      if (aliases.size >= limit) dropOldest(aliases)
      aliases.set(chosen, actual)
    },
    learn: (uuid, read, engine) => {
      const gone = ended.get(uuid)
      if (gone !== undefined) return gone
      if (live.get(uuid)?.domain) return update(uuid, read, engine, '')
      const domain = firstExisting(legDomainCandidates(read, domainOf), domains)
      const known = (name: string) => update(uuid, read, engine, name)
      return typeof domain === 'string' ? known(domain) : domain.then(known)
    },
    end: (uuid) => {
      const channel = live.get(uuid)
      if (channel === undefined) return
      live.delete(uuid)
      touch(channel.domain)
      if (ended.size >= endedLimit) dropOldest(ended)
      ended.set(uuid, channel)
    },
    doubt: (engine) => {
      for (const channel of live.values()) {
        if (channel.engine === engine) live.set(channel.uuid, { ...channel, proven: false })
      }
    },
    proven: (engine) =>
      [...live.values()].filter((channel) => channel.proven && (engine === undefined || channel.engine === engine)),
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
  for (const [index, name] of names.entries()) {
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
