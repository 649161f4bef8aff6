import { createHash } from 'node:crypto'
import { serviceEvent } from '../../core/events/service-event.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import type { Channel } from '../calls/channel.ts'
import type { EngineEvent } from '../runtime/engine.ts'
import { endings } from './missed-events.ts'
import { channelEventId } from './platform-event.ts'
import type { StateChange } from './presence.ts'
import { login as loginField } from '../../contracts/fields.ts'
import type { KnownCall } from '../../core/channels/known-call.ts'

/** An event with what was found out about it. */
export interface KnownEvent {
  readonly event: EngineEvent
  readonly id: string
  /** Empty when the event is of no domain. */
  readonly domain: string
  /** Absent for an event that is not the engine's own word on a channel. */
  readonly channel: Channel | undefined
}

/**
 * Returns the event of a change of state; its id is derived from what caused it, so that every connector makes the
 * same.
 */
export function accountStatus({ domain, login, before, after }: StateChange, cause: string, at: number): PlatformEvent {
  return serviceEvent({
    kind: 'account_status',
    id: `${cause}:account_status`,
    domain,
    occurredAt: at,
    fields: {
      'Account-User': login,
      'Account-Domain': domain,
      'Account-User-State': after,
      'Account-Previous-State': before,
      presence_id: `${login}@${domain}`,
    },
  })
}

/**
 * Returns the cause of a change of state. A call makes its account busy once and free once, whichever of its events
 * showed it, since one connector may have missed what another has read.
 */
export function causeOf({ event, id, channel }: Pick<KnownEvent, 'event' | 'id' | 'channel'>): string {
  if (channel === undefined) return id
  const isEnd = channel.callState === 'HANGUP' || endings.has(event.name)
  return channelEventId(channel.core, channel.uuid, isEnd ? 'free' : 'busy')
}

/**
 * Returns the cause of a difference that a comparison found. It is the same for all connectors that find the same
 * difference from the same stored state.
 */
export function causeOfFinding({ domain, login, after, since }: StateChange): string {
  const cause = JSON.stringify([domain, login, after, since])
  return `found:${createHash('sha256').update(cause).digest('hex').slice(0, 32)}`
}

/** Returns the account of a leg, when it belongs to the leg's own domain and can be a login. */
export function accountOf(
  leg: Pick<KnownCall, 'presenceId'> | undefined,
  domain: string,
): { domain: string; login: string } | undefined {
  const [login = '', host, more] = leg?.presenceId.split('@') ?? []
  const isAccount = host === domain && more === undefined && loginField.safeParse(login).success
  return isAccount ? { domain, login } : undefined
}
