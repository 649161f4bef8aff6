import { blankChannel } from '../calls/channel.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { OnEnded } from '../events/presence.ts'
import { SyntheticEvent } from '../events/synthetic-event.ts'
import type { Time } from '../timers.ts'
import { endMissed } from './channel-check.ts'
import type { LastListener } from './predecessor.ts'
import type { ComparedEngine } from './reconciliation.ts'

/** So long a made event waits, so that the engine's own goes first where another connector has heard it. */
const holdBackMs = 3_000

/** What calls of before this process are ended with. */
export interface StaleCallsParts extends Time {
  readonly registry: ChannelRegistry
  readonly engines: () => readonly ComparedEngine[]
  /** Who listened to an engine before. */
  readonly before: (engineName: string) => Promise<LastListener | undefined>
  readonly make: (event: SyntheticEvent, engineName: string) => void
}

/**
 * Ends calls that an account is stored with and that its engine does not have any more: whoever had heard of them
 * died before their end. With several engines it is not known whose they were, and only the account is put right.
 */
export function staleCalls({ registry, engines, before, make, clock, timers }: StaleCallsParts): OnEnded {
  const end = async (engine: ComparedEngine, presenceId: string, domain: string, uuid: string) => {
    const listener = await before(engine.name).catch(() => undefined)
    const core = listener?.core || engine.coreUuid
    const channel = { ...blankChannel(uuid), engine: engine.name, core, domain, presenceId }
    endMissed(registry, channel, (name) => make(new SyntheticEvent(name, channel, clock.now()), engine.name))
  }
  return ({ domain, login }, uuid) => {
    const [engine, another] = engines()
    if (engine === undefined || another !== undefined) return false
    timers.after(holdBackMs, () => void end(engine, `${login}@${domain}`.toLowerCase(), domain, uuid))
    return true
  }
}
