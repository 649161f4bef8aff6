import { createHash } from 'node:crypto'
import { isOfGateway } from '../../core/channels/leg-domain.ts'
import { accountIn } from '../../core/channels/leg-account.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'
import { gatewayOfEngine } from '../../core/gateways/gateway.ts'
import type { Channel } from '../calls/channel.ts'
import { type EngineEvent, eventNameOf } from '../runtime/engine.ts'

const idPart = /^[A-Za-z0-9-]{1,64}$/

/**
 * Returns the id of an engine event, the same for every connector that reads it: `Core-UUID:Event-Sequence`.
 * `undefined` if the event does not have both; such an event cannot be distinguished from its own repetition.
 */
export function eventId(event: Pick<EngineEvent, 'coreUuid' | 'sequence'>): string | undefined {
  if (!idPart.test(event.coreUuid) || !/^\d{1,20}$/.test(event.sequence)) return undefined
  return `${event.coreUuid}:${event.sequence}`
}

/**
 * Returns an id for an event that occurs once in a channel's life, the same for every connector whether it was sent by
 * the engine or made by one of them: `Core-UUID:uuid:what`. At most 128 characters, with `what` at most 26.
 */
export function channelEventId(coreUuid: string, uuid: string, what: string): string {
  return `${idPart.test(coreUuid) ? coreUuid : 'unknown'}:${ownUuid.test(uuid) ? uuid : digestOf(uuid)}:${what}`
}

/** The engine takes any text for the uuid of a channel; one of another form stands there as its hash. */
const ownUuid = /^[A-Za-z0-9-]{1,36}$/

function digestOf(uuid: string): string {
  return `-${createHash('sha256').update(uuid).digest('hex').slice(0, 35)}`
}

/** Returns the time at which the engine made the event, epoch milliseconds; `now` if the event does not state it. */
export function occurredAt(event: Pick<EngineEvent, 'header'>, now: number): number {
  const microseconds = Number(event.header('Event-Date-Timestamp'))
  return Number.isSafeInteger(microseconds) && microseconds > 0 ? Math.floor(microseconds / 1_000) : now
}

/** Facts about an event that are not in its headers. */
interface EventPlace {
  /** The channel that the engine itself speaks of. */
  readonly channel: Pick<Channel, 'presenceId' | 'requestId'> | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Returns the engine's event as hooks get it: all its headers, its own body as `_body`, and the domain as
 * `Event-Domain`. An event of a channel names the channel's account as its presence id, or none: the engine's own may
 * be the caller's From header. An event of a gateway names it as its domain does.
 */
export function platformEvent(
  event: EngineEvent,
  id: string,
  domain: string,
  { channel, now }: EventPlace,
): PlatformEvent {
  const fields: Record<string, string> = { ...event.headers(), 'Event-Domain': domain }
  if (channel !== undefined) setPresence(fields, accountIn(domain, channel.presenceId))
  const gateway = isOfGateway((name) => fields[name]) ? gatewayOfEngine(fields['Gateway'] ?? '') : undefined
  if (gateway !== undefined) fields['Gateway'] = gateway.name
  if (event.body !== '') fields['_body'] = event.body
  return {
    id,
    name: eventNameOf(event),
    domain,
    uuid: event.uuid.toLowerCase(),
    occurredAt: occurredAt(event, now),
    fields,
    ...(channel === undefined || channel.requestId === '' ? {} : { requestId: channel.requestId }),
  }
}

/** Both names that the engine uses; the variable only where the event has the channel's variables. */
function setPresence(fields: Record<string, string>, account: string | undefined): void {
  const hasVariable = fields['variable_presence_id'] !== undefined
  delete fields['Channel-Presence-ID']
  delete fields['variable_presence_id']
  if (account === undefined) return
  fields['Channel-Presence-ID'] = account
  if (hasVariable) fields['variable_presence_id'] = account
}
