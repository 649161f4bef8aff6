import { blankChannel } from '../calls/channel.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { OnEnded } from '../events/presence.ts'
import { SyntheticEvent } from '../events/synthetic-event.ts'
import type { Time } from '../timers.ts'
import { endMissed } from './gone-channels.ts'
import type { LastListener } from './predecessor.ts'
import type { ComparedEngine } from './reconciliation.ts'

/** So long a made event waits, so that the engine's own goes first where another connector has heard it. */
const holdBackMs = 3_000

/** A connector that was killed just before this one began still seems to be there; by then it does not. */
const lookAgainMs = 15_000

/** One answer serves all calls that are found at once. */
const believedMs = 5_000

/** What calls of before this process are ended with. */
export interface StaleCallsParts extends Time {
  readonly registry: ChannelRegistry
  readonly engines: () => readonly ComparedEngine[]
  /** Who listened to an engine before. */
  readonly before: (engineName: string) => Promise<LastListener | undefined>
  readonly make: (event: SyntheticEvent, engineName: string) => void
}

/**
 * Ends calls that an account is stored with and that its engine does not have any more, where everybody who could have
 * heard their end is gone, if need be once that is known: else whoever listens tells it. With several engines it is not known whose a call was; then
 * the account alone is put right, without an event.
 */
export function staleCalls({ registry, engines, before, make, clock, timers }: StaleCallsParts): OnEnded {
  let latest: { readonly at: number; readonly listener: Promise<LastListener | undefined> } | undefined

  const listenerOf = (engine: string) => {
    if (latest === undefined || clock.now() - latest.at > believedMs) {
      latest = { at: clock.now(), listener: before(engine).catch(() => undefined) }
    }
    return latest.listener
  }

  const end = ({ domain, login }: Parameters<OnEnded>[0], uuid: string, engine: string, core: string) => {
    const presenceId = `${login}@${domain}`.toLowerCase()
    const channel = { ...blankChannel(uuid), engine, core, domain, presenceId }
    endMissed(registry, channel, (name) => make(new SyntheticEvent(name, channel, clock.now()), engine))
  }

  return async (account, uuid) => {
    const [engine, another] = engines()
    if (engine === undefined || another !== undefined) return false
    const listener = await listenerOf(engine.name)
    if (listener === undefined || listener.core === '') return false
    if (listener.until !== undefined) {
      timers.after(holdBackMs, () => end(account, uuid, engine.name, listener.core))
      return true
    }
    const lookAgain = async () => {
      const known = await listenerOf(engine.name)
      if (known?.until !== undefined) end(account, uuid, engine.name, known.core)
    }
    timers.after(lookAgainMs, () => void lookAgain())
    return false
  }
}
