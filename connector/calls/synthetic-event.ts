import type { Channel, LifeEvent } from './channel.ts'
import type { EngineEvent } from '../runtime/engine.ts'

/**
 * The engine's word for an end without a reason (Q.850 cause 31): all that is known of a call whose end was
 * missed.
 */
const unknownCause = 'NORMAL_UNSPECIFIED'

/**
 * The duration of a call is stated when its end is known to within a minute. After a longer outage it is unknown, and a
 * made-up one would be billed.
 */
const mostUnsureMs = 60_000

/** The states that the engine sends with each event of a channel's life, as recorded. */
const states: Readonly<Record<LifeEvent, readonly [state: string, callState: string]>> = {
  CHANNEL_CREATE: ['CS_INIT', 'DOWN'],
  CHANNEL_ANSWER: ['CS_EXECUTE', 'ACTIVE'],
  CHANNEL_HANGUP_COMPLETE: ['CS_REPORTING', 'HANGUP'],
  CHANNEL_DESTROY: ['CS_REPORTING', 'HANGUP'],
}

/**
 * An event that the connector makes instead of one that it missed: marked `Synthetic: true`, without an
 * `Event-Sequence`, with the known fields of the channel. Code recognizes it by its class, since any client that
 * injects events could set the mark.
 */
export class SyntheticEvent implements EngineEvent {
  readonly name: LifeEvent
  readonly subclass = ''
  readonly uuid: string
  readonly coreUuid: string
  readonly sequence = ''
  readonly body = ''
  /** About what is known of a channel. */
  readonly bytes = 2048
  readonly channel: Channel
  /** When the loss was noticed, epoch milliseconds. */
  readonly at: number
  /** The engine's word for the end, if there is one. */
  readonly cause: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(name: LifeEvent, channel: Channel, at: number, cause = unknownCause) {
    this.name = name
    this.uuid = channel.uuid
    this.coreUuid = channel.core
    this.channel = channel
    this.at = at
    this.cause = cause
    this.#headers = headersOf(name, channel, at, cause)
  }

  header(name: string): string | undefined {
    return Object.hasOwn(this.#headers, name) ? this.#headers[name] : undefined
  }

  headers(): Readonly<Record<string, string>> {
    return this.#headers
  }

  jsonWith(): undefined {
    return undefined
  }
}

/**
 * Returns the whole seconds from a channel's creation to the moment at which its end was noticed, by the engine's own
 * arithmetic. Empty where the channel may have ended more than a minute before that, where the creation is not known,
 * and where it lies after the end by the clock of another machine.
 */
function durationOf({ createdAt, unsureSince = Infinity }: Channel, endedAt: number): string {
  if (endedAt - unsureSince > mostUnsureMs) return ''
  const created = /^\d{13,16}$/.test(createdAt) ? Math.floor(Number(createdAt) / 1_000_000) : Number.NaN
  const seconds = Math.floor(endedAt / 1_000) - created
  return seconds >= 0 ? `${seconds}` : ''
}

function headersOf(name: LifeEvent, channel: Channel, at: number, cause: string): Record<string, string> {
  const [state, callState] = states[name]
  const known = {
    'Core-UUID': channel.core,
    'Channel-Presence-ID': channel.presenceId,
    'Caller-Caller-ID-Name': channel.callerName,
    'Caller-Caller-ID-Number': channel.callerNumber,
    'Caller-Destination-Number': channel.calledNumber,
    'Caller-Channel-Created-Time': channel.createdAt,
    'Channel-Name': channel.name,
    'Caller-Source': channel.source,
    variable_originating_leg_uuid: channel.origin,
    'Hangup-Cause': callState === 'HANGUP' ? cause : '',
    variable_duration: callState === 'HANGUP' ? durationOf(channel, at) : '',
  }
  return {
    'Event-Name': name,
    'Event-Date-Timestamp': `${Math.floor(at)}000`,
    'Unique-ID': channel.uuid,
    'Channel-State': state,
    'Channel-Call-State': callState,
    'Call-Direction': channel.direction,
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== '')),
    Synthetic: 'true',
  }
}
