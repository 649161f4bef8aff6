import type { Clock } from '../../core/time.ts'
import type { Channel, LifeEvent } from '../calls/channel.ts'
import type { ChannelRegistry } from '../calls/channel-registry.ts'
import type { EngineEvent } from '../runtime/engine.ts'
import { SyntheticEvent } from '../calls/synthetic-event.ts'

/** Ends of a call: with the first of them its account is free again. */
export const endings: ReadonlySet<string> = new Set(['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'])

/** Events that can only follow a channel's creation. Others come before it now and then. */
const followers: ReadonlySet<string> = new Set(['CHANNEL_ANSWER', ...endings])

/** Returns whether an event is the last that the engine sends of a channel: a state after the channel's destruction. */
export function isLastWord(event: Pick<EngineEvent, 'name' | 'header'>): boolean {
  return event.name === 'CHANNEL_STATE' && event.header('Channel-State') === 'CS_DESTROY'
}

/**
 * Returns whether a synthetic event is obsolete: the engine has sent the real one since, or the channel had not ended
 * after all.
 */
export function isOvertaken(
  registry: Pick<ChannelRegistry, 'find' | 'hasSeen'>,
  { name, uuid, coreUuid }: SyntheticEvent,
): boolean {
  const live = registry.find(uuid)
  if (live?.uuid === uuid && live.core !== coreUuid) return false
  if (registry.hasSeen(uuid, name)) return true
  return endings.has(name) && live?.uuid === uuid && live.heard
}

/** The known gaps in what engines sent to this connector. */
export interface KnownGaps {
  hasGaps(engine: string): boolean
  /** Whether the engine's first link came up so lately that it is not known yet what was missed before. */
  beganLately(engine: string): boolean
  /** Whether an event of this moment, in microseconds of the engine's clock, may have been missed. */
  mayHaveMissed(engine: string, microseconds: string): boolean
}

interface MissedDeps {
  readonly registry: Pick<ChannelRegistry, 'hasSeen'>
  readonly clock: Clock
  readonly links: KnownGaps
}

/** Lists the earlier events of a channel that were missed, judging by a later event. */
export function missedBefore(
  { registry, clock, links }: MissedDeps,
  event: EngineEvent,
  channel: Channel,
  engine: string,
): SyntheticEvent[] {
  const isLast = isLastWord(event)
  if (!(isLast || followers.has(event.name)) || !(links.hasGaps(engine) || links.beganLately(engine))) return []
  const made: SyntheticEvent[] = []
  const make = (name: LifeEvent) => {
    made.push(new SyntheticEvent(name, channel, clock.now(), event.header('Hangup-Cause')))
  }
  if (!registry.hasSeen(channel.uuid, 'CHANNEL_CREATE') && links.mayHaveMissed(engine, channel.createdAt)) {
    make('CHANNEL_CREATE')
  }
  if (event.name !== 'CHANNEL_ANSWER' && !registry.hasSeen(channel.uuid, 'CHANNEL_ANSWER')) {
    if (links.mayHaveMissed(engine, event.header('Caller-Channel-Answered-Time') ?? '')) make('CHANNEL_ANSWER')
  }
  if ((isLast || event.name === 'CHANNEL_DESTROY') && !registry.hasSeen(channel.uuid, 'CHANNEL_HANGUP_COMPLETE')) {
    make('CHANNEL_HANGUP_COMPLETE')
  }
  if (isLast && !registry.hasSeen(channel.uuid, 'CHANNEL_DESTROY')) make('CHANNEL_DESTROY')
  return made
}
