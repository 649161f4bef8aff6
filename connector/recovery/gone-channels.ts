import type { Channel, LifeEvent } from '../calls/channel.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import { hasChannel } from '../calls/engine-channels.ts'
import type { EngineLink } from '../runtime/engine.ts'
import { SyntheticEvent } from '../calls/synthetic-event.ts'
import { mapAtMost } from '../../core/concurrency/semaphore.ts'
import type { Clock } from '../../core/time.ts'

/** Channels that are asked for at a time: a later order waits for no more than these. */
const together = 16

export interface GoneDeps {
  readonly registry: Pick<ChannelRegistry, 'find' | 'hasSeen' | 'unplace' | 'spellingOf'>
  readonly link: Pick<EngineLink, 'api'>
  readonly clock: Clock
  readonly make: (event: SyntheticEvent) => void
  readonly isOver: () => boolean
}

/**
 * Makes the end events of channels that the engine no longer lists, each once the engine says that it does not have the
 * channel: a list may be wrong, and a synthetic end replaces the engine's own. A placed call that no engine has
 * reported is only forgotten. Returns the channels that the engine does not deny.
 */
export async function endGone(parts: GoneDeps, uuids: readonly string[]): Promise<string[]> {
  const { registry, link, clock, make, isOver } = parts
  const kept: string[] = []
  await mapAtMost(uuids, together, async (uuid) => {
    if (isOver()) return
    const isThere = await hasChannel(link, registry.spellingOf(uuid)).catch(() => undefined)
    const channel = registry.find(uuid)
    if (isOver() || channel === undefined || channel.heard) return
    if (isThere !== false) kept.push(uuid)
    else if (channel.core === '') registry.unplace(uuid)
    else endMissed(registry, channel, (name) => make(new SyntheticEvent(name, channel, clock.now())))
  })
  return isOver() ? [] : kept
}

/** Makes the ends of a channel that its engine has not sent. */
export function endMissed(
  registry: Pick<ChannelRegistry, 'hasSeen'>,
  channel: Channel,
  make: (name: LifeEvent, channel: Channel) => void,
): void {
  for (const name of ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'] as const) {
    if (!registry.hasSeen(channel.uuid, name)) make(name, channel)
  }
}
