import { callIdOf } from '../../core/channels/call-id.ts'
import { isSameAccount } from '../../core/channels/leg.ts'
import type { CommandScope } from '../../core/commands/commands.ts'
import type { Clock } from '../../core/time.ts'
import type { Channel, ChannelRegistry } from './channel-registry.ts'

/** The two links of an engine break within moments of each other when the engine goes; this is a long moment. */
const togetherMs = 5_000

/** By then the registry has learned what the engine listed when its links came up. */
const learnedMs = 60_000

type Owned = Pick<Channel, 'domain' | 'presenceId'>

type Listed = Owned & { readonly row: Readonly<Record<string, string>> }

/** The calls that an engine has, or had when it was last heard. */
export interface HeldCalls {
  /** The event link came up: from now on the registry sees every call that begins. */
  heard(): void
  /** Every channel of the engine was read. With the first reading while its event link is up, all of them are known. */
  wasRead(channels: readonly Listed[]): void
  /** The event link was lost: what is known of the engine is what it held when it was last heard. */
  eventsLost(): void
  commandsLost(): void
  /** Another connector, which has lost the engine too, reported that it was without channels when it was last heard. */
  reportedEmpty(): void
  /**
   * Whether the engine, which cannot be asked now, may hold a call that the scope reaches: whether it held one when it
   * was last heard; true while that is not known. An engine that was never heard may hold anything.
   */
  mayHold(scope: CommandScope): boolean
  /** How many channels it holds, or held when it was last heard; absent while that is not known. */
  readonly count: number | undefined
}

/** Makes a record of an engine's calls, which is empty and unknown at first. */
export function heldCalls(registry: Pick<ChannelRegistry, 'of' | 'hasEnded'>, engine: string, clock: Clock): HeldCalls {
  let isHeard = false
  let listens = false
  let isWhole = false
  let lostAt = 0
  let first: { readonly at: number; readonly channels: readonly Listed[] } | undefined

  const channels = (): Owned[] => {
    const known = registry.of(engine)
    const uuids = new Set(known.map(({ uuid }) => uuid))
    const others = (first?.channels ?? []).filter(({ row }) => {
      const uuid = callIdOf(row['uuid'] ?? '')
      return !uuids.has(uuid) && !registry.hasEnded(uuid)
    })
    return [...known, ...others]
  }
  const forgetFirst = (now: number) => {
    if (first !== undefined && now - first.at > learnedMs) first = undefined
  }

  return {
    heard: () => {
      isHeard = true
      listens = true
      isWhole = false
      first = undefined
    },
    wasRead: (read) => {
      forgetFirst(clock.now())
      if (isWhole || !listens) return
      isWhole = true
      first = { at: clock.now(), channels: read }
    },
    eventsLost: () => {
      listens = false
      lostAt = clock.now()
      forgetFirst(lostAt)
    },
    commandsLost: () => {
      if (!listens && clock.now() - lostAt > togetherMs) isWhole = false
    },
    reportedEmpty: () => {
      if (!isHeard) isWhole = true
    },
    mayHold: (scope) => !isWhole || channels().some((channel) => mayReach(scope, channel)),
    get count() {
      return isWhole ? channels().length : undefined
    },
  }
}

/** A channel whose domain or account is not known may be in any scope. */
function mayReach({ domain, presenceId }: CommandScope, channel: Owned): boolean {
  if (domain !== null && channel.domain !== '' && channel.domain !== domain) return false
  return presenceId === null || channel.presenceId === '' || isSameAccount(channel.presenceId, presenceId)
}
