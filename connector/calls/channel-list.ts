import { channelFields } from '../../contracts/routes/channels.ts'
import type { CommandScope } from '../../core/commands.ts'
import type { Clock } from '../../core/ports.ts'
import type { EngineLink } from '../engine.ts'
import { type ChannelRegistry, firstExisting } from './channel-registry.ts'
import type { DomainNames } from './domain-names.ts'
import { readChannels, reader } from './engine-channels.ts'
import { isInScope } from './find-channel.ts'
import { type ReadField, legDomainCandidates } from './leg-domain.ts'

/** How old a list may be that is shared; the contract allows 5 s. */
const sharedMs = 1_000

/** A channel of the engine with its domain, ready to be shown. */
interface ListedChannel {
  /** Empty when the channel is of no domain. */
  readonly domain: string
  /** Lower case. */
  readonly presenceId: string
  readonly row: Readonly<Record<string, string>>
}

/** The live channels of an engine. */
export interface ChannelList {
  /**
   * The rows in scope as JSON text `{"row_count":n,"rows":[…]}`, the oldest channel first, each with exactly the
   * published fields. Rejects as the link does, and with `UnreadableAnswer`.
   */
  read(scope: CommandScope): Promise<string>
  /** The uuids in scope, read from the engine now. Rejects as {@link read} does. */
  uuids(scope: CommandScope): Promise<string[]>
}

/** What a list is made from. */
export interface ChannelListParts {
  readonly link: Pick<EngineLink, 'api'>
  readonly registry: ChannelRegistry
  readonly domains: DomainNames
  readonly clock: Clock
}

/** One reading of the engine's channels. */
interface Reading {
  /** Epoch milliseconds of its begin. */
  readonly at: number
  /** The registry's revision of all channels when it began. */
  readonly revision: number
  readonly channels: Promise<ListedChannel[]>
}

/**
 * Everybody who asks within a second shares one reading of the engine, unless a channel of his domain has changed
 * since it began: a list shows what its reader has just done. However many ask, the engine is read once at a time.
 */
export function channelList({ link, registry, domains, clock }: ChannelListParts): ChannelList {
  let latest: Reading | undefined
  let isRunning = false
  let next: Promise<ListedChannel[]> | undefined

  const readAll = async (): Promise<ListedChannel[]> => {
    const rows = await readChannels(link)
    const channels = await Promise.all(rows.map((row) => listed(reader(row), registry, domains)))
    return channels.sort((a, b) => byAge(a.row, b.row))
  }

  const begin = (): Promise<ListedChannel[]> => {
    isRunning = true
    next = undefined
    const revision = registry.revision(null)
    const channels = readAll().finally(() => (isRunning = false))
    const started = { at: clock.now(), revision, channels }
    latest = started
    channels.catch(() => {
      if (latest === started) latest = undefined
    })
    return channels
  }

  const current = (domain: string | null): Promise<ListedChannel[]> => {
    const isShared = latest !== undefined && (isRunning || clock.now() - latest.at < sharedMs)
    if (isShared && latest !== undefined && registry.revision(domain) <= latest.revision) return latest.channels
    if (!isRunning || latest === undefined) return begin()
    next ??= latest.channels.then(begin, begin)
    return next
  }

  return {
    read: async (scope) => {
      const channels = (await current(scope.domain)).filter((channel) => isInScope(channel, scope))
      const rows = channels.map(({ row }) => told(row, registry)).filter((row) => row !== undefined)
      return JSON.stringify({ row_count: rows.length, rows })
    },
    uuids: async (scope) => {
      const channels = (await readAll()).filter((channel) => isInScope(channel, scope))
      return channels.flatMap(({ row }) => row['uuid'] ?? [])
    },
  }
}

async function listed(read: ReadField, registry: ChannelRegistry, domains: DomainNames): Promise<ListedChannel> {
  const recorded = registry.domainOf(read('uuid')?.toLowerCase() ?? '')
  const candidates = legDomainCandidates(read, (leg) => registry.domainOf(leg))
  const domain = recorded ?? (await firstExisting(candidates, domains))
  const row = Object.fromEntries(channelFields.map((name) => [name, read(name) ?? '']))
  return { domain, presenceId: (read('presence_id') ?? '').toLowerCase(), row }
}

/**
 * A row as the engine's events have it by now: its table of channels is written up to 0.1 s late, so it may show a
 * state that is over, or a channel that is gone (then nothing).
 */
function told(row: ListedChannel['row'], registry: ChannelRegistry): ListedChannel['row'] | undefined {
  const uuid = row['uuid']?.toLowerCase() ?? ''
  if (registry.hasEnded(uuid)) return undefined
  const channel = registry.find(uuid)
  return channel?.proven && channel.callState !== '' ? { ...row, callstate: channel.callState } : row
}

/** By `created_epoch`, then by uuid. */
function byAge(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): number {
  const difference = Number(a['created_epoch']) - Number(b['created_epoch'])
  if (difference !== 0 && !Number.isNaN(difference)) return difference
  const [left, right] = [a['uuid'] ?? '', b['uuid'] ?? '']
  return left < right ? -1 : Number(left > right)
}
