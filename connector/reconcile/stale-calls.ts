import type { KnownCallStore } from '../../core/channels/known-call-store.ts'
import { type Channel, blankChannel } from '../calls/channel.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { OnEnded } from '../events/presence.ts'
import { SyntheticEvent } from '../events/synthetic-event.ts'
import type { Time } from '../../core/concurrency/timers.ts'
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
  readonly knownCalls: Pick<KnownCallStore, 'read'>
  readonly engines: () => readonly ComparedEngine[]
  /** Who listened to an engine before. */
  readonly before: (engineName: string) => Promise<LastListener | undefined>
  readonly make: (event: SyntheticEvent, engineName: string) => void
}

/**
 * Judges calls that an account is stored with and that no engine has any more. One that is stored by itself, too, or
 * that is known here, is ended by a comparison with its engine, unless somebody else heard its end. Of one that is only
 * in its account it is not known whose it was: where there is one engine, and everybody who could have heard its end is
 * gone, if need be once that is known, its end is made here; else the account alone is put right, without an event.
 */
export function staleCalls({ registry, knownCalls, engines, before, make, clock, timers }: StaleCallsParts): OnEnded {
  const listeners = new Map<string, { readonly at: number; readonly listener: Promise<LastListener | undefined> }>()

  const listenerOf = (engine: string) => {
    const latest = listeners.get(engine)
    if (latest !== undefined && clock.now() - latest.at <= believedMs) return latest.listener
    const listener = before(engine).catch(() => undefined)
    listeners.set(engine, { at: clock.now(), listener })
    return listener
  }

  const end = ({ domain, login }: Parameters<OnEnded>[0], uuid: string, engine: string, core: string) => {
    if (isKnown(registry.find(uuid), uuid) || registry.hasEnded(uuid)) return
    const presenceId = `${login}@${domain}`.toLowerCase()
    const channel = { ...blankChannel(uuid), engine, core, domain, presenceId }
    endMissed(registry, channel, (name) => make(new SyntheticEvent(name, channel, clock.now()), engine))
  }

  /** Whether the end of a stored call will be found by a comparison with its engine. */
  const isTakenUp = async (engineName: string): Promise<boolean> => {
    if (!engines().some(({ name }) => name === engineName)) return false
    const listener = await listenerOf(engineName)
    return listener === undefined || listener.until !== undefined
  }

  const endUnlisted = async (account: Parameters<OnEnded>[0], uuid: string): Promise<boolean> => {
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

  return async (account, uuid) => {
    if (isKnown(registry.find(uuid), uuid)) return true
    if (registry.hasEnded(uuid)) return false
    const stored = await knownCalls.read(account.domain, uuid).catch(() => undefined)
    return stored === undefined ? endUnlisted(account, uuid) : isTakenUp(stored.engine)
  }
}

/** Whether an engine told of the channel, and not only the platform has placed it. */
function isKnown(channel: Channel | undefined, uuid: string): boolean {
  return channel?.uuid === uuid && channel.core !== ''
}
