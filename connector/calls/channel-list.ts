import { callIdOf } from '../../core/channels/call-id.ts'
import type { CommandScope } from '../../core/commands/commands.ts'
import { type EngineLink, isReady } from '../runtime/engine.ts'
import { EslCommandNotSent } from '@callplane/esl'
import type { ChannelRegistry } from './channel-registry.ts'
import type { EngineReading, ListedChannel } from './engine-reading.ts'
import { isInScope } from './find-channel.ts'
import type { HeldCalls } from './held-calls.ts'

/** Texts that are kept while nothing changes: one for each scope that somebody lists. */
const maxTexts = 1_000

/** One engine, as far as lists need it. */
export interface ListedEngine {
  readonly engine: { readonly name: string; readonly commands: Pick<EngineLink, 'state'> }
  readonly reading: EngineReading
  readonly held: Pick<HeldCalls, 'mayHold'>
}

/** The live channels of all engines. */
export interface ChannelList {
  /**
   * The rows in scope as JSON text `{"row_count":n,"rows":[…]}`, the oldest channel first and equally old ones by
   * their uuids, each with exactly the published fields. Rejects as the links do, with `UnreadableReply`, and with
   * `EslCommandNotSent` when an engine is away that may hold calls in scope: a list is whole, or it is none.
   */
  read(scope: CommandScope): Promise<string>
  /**
   * The uuids in scope, read now from every engine that can be asked; with the name of an engine, by a shared reading
   * of that one alone. Rejects as the links do.
   */
  uuids(scope: CommandScope, engine?: string): Promise<ReachedUuids>
}

/** The channels of a scope as far as they can be reached. */
export interface ReachedUuids {
  readonly byEngine: ReadonlyMap<string, readonly string[]>
  /**
   * Names of the engines that are away. Any of them may hold more: a call can begin at an engine long after its links
   * were lost.
   */
  readonly missed: readonly string[]
}

export interface ChannelListDeps {
  readonly engines: readonly ListedEngine[]
  readonly registry: ChannelRegistry
}

type Channels = readonly ListedChannel[]

interface KeptText {
  readonly revision: number
  readonly text: string
}

/**
 * Makes the channel list over all engines. Its text is made once for a scope, however many ask for it, until the
 * engines' readings or a channel of the scope change.
 */
export function channelList({ engines, registry }: ChannelListDeps): ChannelList {
  let keptOf: readonly Channels[] = []
  const kept = new Map<string, KeptText>()

  const read = async (scope: CommandScope): Promise<string> => {
    const lists = await Promise.all(readable(engines, scope).map(({ reading }) => reading.current(scope.domain)))
    if (lists.length !== keptOf.length || lists.some((list, index) => list !== keptOf[index])) kept.clear()
    keptOf = lists
    const key = JSON.stringify([scope.domain, scope.presenceId])
    const revision = registry.revision(scope.domain)
    const known = kept.get(key)
    if (known?.revision === revision) return known.text
    const text = textOf(lists, scope, registry)
    if (kept.size >= maxTexts) kept.clear()
    kept.set(key, { revision, text })
    return text
  }

  return {
    read,
    uuids: async (scope, only) => {
      const asked = engines.filter(({ engine: { name } }) => only === undefined || name === only)
      const ready = asked.filter(({ engine }) => isReady(engine.commands))
      const missed = asked.filter((one) => !ready.includes(one))
      const found = await Promise.all(
        ready.map(async ({ engine: { name }, reading }) => {
          const read = only === undefined ? reading.now() : reading.current(scope.domain)
          const channels = (await read).filter((channel) => isInScope(channel, scope))
          return [name, channels.flatMap(({ row }) => row['uuid'] ?? [])] as const
        }),
      )
      return { byEngine: new Map(found), missed: missed.map(({ engine }) => engine.name) }
    },
  }
}

/** The engines that make up the whole list of a scope. Throws when there is no whole list. */
function readable(engines: readonly ListedEngine[], scope: CommandScope): ListedEngine[] {
  const ready = engines.filter(({ engine }) => isReady(engine.commands))
  if (ready.length === 0) throw new EslCommandNotSent('no engine can be asked for its channels')
  const isMissed = ({ engine, held }: ListedEngine) => !isReady(engine.commands) && held.mayHold(scope)
  if (engines.some(isMissed)) throw new EslCommandNotSent('an engine is away that may hold channels of the list')
  return ready
}

function textOf(lists: readonly Channels[], scope: CommandScope, registry: ChannelRegistry): string {
  const inScope = lists.flatMap((channels) => channels.filter((channel) => isInScope(channel, scope)))
  const rows = inScope
    .map(({ row }) => row)
    .sort(byAge)
    .filter((row, index, all) => row['uuid'] === '' || row['uuid'] !== all[index - 1]?.['uuid'])
    .map((row) => withKnownOwner(row, registry))
    .filter((row) => row !== undefined)
  return JSON.stringify({ row_count: rows.length, rows })
}

/**
 * A row as the engine's events have it by now: its table of channels is written up to 0.1 s late, so it may show a
 * state that is over, or a channel that is gone (then nothing).
 */
function withKnownOwner(row: ListedChannel['row'], registry: ChannelRegistry): ListedChannel['row'] | undefined {
  const uuid = callIdOf(row['uuid'] ?? '')
  if (registry.hasEnded(uuid)) return undefined
  const channel = registry.find(uuid)
  return channel?.proven && channel.callState !== '' ? { ...row, callstate: channel.callState } : row
}

function byAge(a: ListedChannel['row'], b: ListedChannel['row']): number {
  const difference = Number(a['created_epoch']) - Number(b['created_epoch'])
  if (difference !== 0 && !Number.isNaN(difference)) return difference
  const [left, right] = [a['uuid'] ?? '', b['uuid'] ?? '']
  return left < right ? -1 : Number(left > right)
}
