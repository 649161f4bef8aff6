import { callIdOf } from '../../core/channels/call-id.ts'
import { createHash } from 'node:crypto'
import { type EventHead, eventOfText } from '../../adapters/events/text-event.ts'
import { knownAccountField } from '../../core/cdr/end-fields.ts'
import { keptFields } from '../../core/cdr/kept-fields.ts'
import { accountIn, isOfGateway } from '../../core/channels/leg.ts'
import { dialledNumber } from '../../core/dialplan/dialplan-question.ts'
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

interface EventContext {
  readonly channel: Pick<Channel, 'presenceId' | 'requestId'> | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Returns the engine's event as hooks get it: all its headers, its own body as `_body`, and the domain as
 * `Event-Domain`. An event of a channel names the channel's account as its presence id, or none: the engine's own may
 * be the caller's From header. A dialled number has no parameters. An event of a gateway names it as its domain does.
 * The engine's own text is passed on where it can be.
 */
export function platformEvent(event: EngineEvent, id: string, domain: string, place: EventContext): PlatformEvent {
  const head = headOf(event, id, domain, place)
  const { channel } = place
  const changes = {
    ...(channel === undefined ? {} : presenceOf(event, domain, channel)),
    ...dialledIn(event),
    ...gatewayOf(event),
    'Event-Domain': domain,
  }
  const text = event.jsonWith(changes)
  if (text !== undefined) return eventOfText(head, text)
  const fields: Record<string, string> = { ...event.headers() }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete fields[name]
    else fields[name] = value
  }
  if (event.body !== '') fields['_body'] = event.body
  return { ...head, fields }
}

/**
 * Returns the end of a leg as the index of CDRs gets it: {@link keptFields} of its headers, with the account that is
 * known of the leg in place of the engine's.
 */
export function endOfLeg(
  event: EngineEvent,
  id: string,
  domain: string,
  place: EventContext & { readonly channel: Channel },
): PlatformEvent {
  const { channel } = place
  const known = { ...presenceOf(event, domain, channel), [knownAccountField]: channel.presenceId }
  return { ...headOf(event, id, domain, place), fields: keptFields(event.headers(), known), reader: 'cdr' }
}

function headOf(event: EngineEvent, id: string, domain: string, { channel, now }: EventContext): EventHead {
  return {
    id,
    name: eventNameOf(event),
    domain,
    uuid: callIdOf(event.uuid),
    occurredAt: occurredAt(event, now),
    ...(channel === undefined || channel.requestId === '' ? {} : { requestId: channel.requestId }),
  }
}

/** Both names that the engine uses; the variable only where the event has the channel's variables. */
function presenceOf(event: EngineEvent, domain: string, { presenceId }: Pick<Channel, 'presenceId'>) {
  const account = accountIn(domain, presenceId)
  const hasVariable = account !== undefined && event.header('variable_presence_id') !== undefined
  return { 'Channel-Presence-ID': account, variable_presence_id: hasVariable ? account : undefined }
}

function dialledIn(event: EngineEvent): { readonly 'Caller-Destination-Number'?: string } {
  const dialled = event.header('Caller-Destination-Number') ?? ''
  return dialled.includes(';') ? { 'Caller-Destination-Number': dialledNumber(dialled) } : {}
}

function gatewayOf(event: EngineEvent): { readonly Gateway?: string } {
  const isOfOne = isOfGateway((name) => event.header(name))
  const gateway = isOfOne ? gatewayOfEngine(event.header('Gateway') ?? '') : undefined
  return gateway === undefined ? {} : { Gateway: gateway.name }
}
