import type { CommandScope } from '../../core/commands.ts'
import type { Clock } from '../../core/ports.ts'
import type { Channel, ChannelRegistry } from './channel-registry.ts'

/** The two links of an engine break within moments of each other when the engine goes; this is a long moment. */
const togetherMs = 5_000

/** What an engine holds, or held when it was last heard. */
export interface HeldCalls {
  /** The event link came up: from now on the registry is told of every call that begins. */
  heard(): void
  /** Every channel of the engine was read: while its event link is up, the registry now knows all of them. */
  wasRead(): void
  /** The event link was lost: what the registry knows of the engine is what it held when it was last heard. */
  eventsLost(): void
  /** The command link was lost. */
  commandsLost(): void
  /**
   * Whether the engine, which cannot be asked now, may hold a call that the scope reaches: whether it held one when it
   * was last heard; true while that is not known. An engine that this process has never heard may hold anything.
   */
  mayHold(scope: CommandScope): boolean
  /** How many channels it holds, or held when it was last heard; absent while that is not known. */
  readonly count: number | undefined
}

/** Knows nothing of the engine at first. */
export function heldCalls(registry: Pick<ChannelRegistry, 'of'>, engine: string, clock: Clock): HeldCalls {
  let listens = false
  let isWhole = false
  let eventsLostAt = 0

  return {
    heard: () => {
      listens = true
      isWhole = false
    },
    wasRead: () => {
      isWhole = isWhole || listens
    },
    eventsLost: () => {
      listens = false
      eventsLostAt = clock.now()
    },
    commandsLost: () => {
      if (!listens && clock.now() - eventsLostAt > togetherMs) isWhole = false
    },
    mayHold: (scope) => !isWhole || registry.of(engine).some((channel) => mayReach(scope, channel)),
    get count() {
      return isWhole ? registry.of(engine).length : undefined
    },
  }
}

/** A channel whose domain or presence id is not known may be in any scope. */
function mayReach({ domain, presenceId }: CommandScope, channel: Channel): boolean {
  if (domain !== null && channel.domain !== '' && channel.domain !== domain) return false
  return presenceId === null || channel.presenceId === '' || channel.presenceId === presenceId.toLowerCase()
}
