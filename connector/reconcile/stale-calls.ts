import type { KnownCallStore } from '../../core/channels/known-call-store.ts'
import { type Channel, blankChannel } from '../calls/channel.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { OnEnded } from '../events/presence.ts'
import { SyntheticEvent } from '../calls/synthetic-event.ts'
import type { Time } from '../../core/concurrency/timers.ts'
import { endMissed } from './gone-channels.ts'
import type { LastListener } from './predecessor.ts'
import type { ComparedEngine } from './reconciliation.ts'

/** The wait of a made-up event: the engine's own goes first if another connector has heard it. */
const holdBackMs = 3_000

/** The time until a second look: a connector that was killed just before this one began still counts as running at first. */
const lookAgainMs = 15_000

/** How long one answer about an engine serves all calls of it. */
const believedMs = 5_000

/** The dependencies of {@link staleCalls}. */
export interface StaleCallsDeps extends Time {
  readonly registry: ChannelRegistry
  readonly knownCalls: Pick<KnownCallStore, 'read'>
  readonly engines: () => readonly ComparedEngine[]
  /** Who listened to an engine before. */
  readonly before: (engineName: string) => Promise<LastListener | undefined>
  readonly make: (event: SyntheticEvent, engineName: string) => void
}

/**
 * Decides about calls that are stored with an account and that no engine has any more; resolves with whether the end of
 * such a call will be reported. A call that has a record of its own, or that this connector knows, is ended by the
 * comparison with its engine, unless another connector has read its end. The engine of a call that is only stored in
 * its account is not known. If there is a single engine, and every connector that could have read the end is gone, the
 * end is synthesized here; otherwise only the account is corrected, without an event.
 */
export function staleCalls({ registry, knownCalls, engines, before, make, clock, timers }: StaleCallsDeps): OnEnded {
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

  /** Whether the comparison with its engine will find the end of a stored call. */
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

/** Whether an engine has reported the channel, and not only the platform has placed it. */
function isKnown(channel: Channel | undefined, uuid: string): boolean {
  return channel?.uuid === uuid && channel.core !== ''
}
