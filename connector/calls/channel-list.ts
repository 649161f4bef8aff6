import { channelFields } from '../../contracts/routes/channels.ts'
import type { CommandScope } from '../../core/commands.ts'
import type { Clock } from '../../core/ports.ts'
import type { EngineLink } from '../engine.ts'
import { type ChannelRegistry, firstExisting } from './channel-registry.ts'
import type { DomainNames } from './domain-names.ts'
import { readChannels, reader } from './engine-channels.ts'
import { isInScope } from './find-channel.ts'
import { type ReadField, legDomainCandidates } from './leg-domain.ts'

/** How old a list may be that is shared, and how old one that is still being read; the contract allows 5 s. */
const sharedMs = 1_000
const readingMs = 4_000

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

/** Everybody who asks within a second shares one reading of the engine. */
export function channelList({ link, registry, domains, clock }: ChannelListParts): ChannelList {
  let shared: { readonly at: number; readonly channels: Promise<ListedChannel[]>; isRead: boolean } | undefined

  const readAll = async (): Promise<ListedChannel[]> => {
    const rows = await readChannels(link)
    const channels = await Promise.all(rows.map((row) => listed(reader(row), registry, domains)))
    return channels.sort((a, b) => byAge(a.row, b.row))
  }

  const current = (): Promise<ListedChannel[]> => {
    const now = clock.now()
    if (shared !== undefined && now - shared.at < (shared.isRead ? sharedMs : readingMs)) return shared.channels
    const started = { at: now, channels: readAll(), isRead: false }
    shared = started
    const forget = () => {
      if (shared === started) shared = undefined
    }
    started.channels.then(() => (started.isRead = true), forget)
    return started.channels
  }

  return {
    read: async (scope) => {
      const rows = (await current()).filter((channel) => isInScope(channel, scope)).map(({ row }) => row)
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

/** By `created_epoch`, then by uuid. */
function byAge(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): number {
  const difference = Number(a['created_epoch']) - Number(b['created_epoch'])
  if (difference !== 0 && !Number.isNaN(difference)) return difference
  const [left, right] = [a['uuid'] ?? '', b['uuid'] ?? '']
  return left < right ? -1 : Number(left > right)
}
