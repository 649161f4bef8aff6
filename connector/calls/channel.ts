import { callIdOf } from '../../core/channels/call-id.ts'
import { requestId } from '../../contracts/fields.ts'
import type { LegFacts } from '../../core/channels/known-call.ts'
import { type ReadField, originOfLeg } from '../../core/channels/leg.ts'

/** The events that a channel has once in its life, in their order. The last two end it. */
export const lifeEvents = ['CHANNEL_CREATE', 'CHANNEL_ANSWER', 'CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY'] as const

/** One of {@link lifeEvents}. */
export type LifeEvent = (typeof lifeEvents)[number]

/** One channel of an engine, as the connector knows it. */
export interface Channel extends LegFacts {
  readonly uuid: string
  /** The name of the engine that has it; empty while that is not known. */
  readonly engine: string
  /** The `Core-UUID` of the process of the engine that has it; empty until an engine reports it. */
  readonly core: string
  /** Lower case; empty while no domain is known. Once known it stays. */
  readonly domain: string
  /** Whether the account is settled: the engine reported it, or the platform placed the call for it. */
  readonly isAccountKnown: boolean
  /** The id of the API request that placed the call; empty where none did, or where that is not known. */
  readonly requestId: string
  /** When the engine sent the newest event of it, microseconds of its clock; 0 if none is known. */
  readonly changedAt: number
  /** The engine's word, such as `ACTIVE` or `HELD`; empty when unknown. */
  readonly callState: string
  /** Whether the engine itself reported the channel since its event link was last made. */
  readonly proven: boolean
  /** Whether an event of the channel came since the event link was last made. */
  readonly heard: boolean
  /**
   * Since when the channel may have ended without being heard, epoch milliseconds; 0 if that is not known. Absent while
   * its end would have been heard.
   */
  readonly unsureSince: number | undefined
}

/** The fields that do not change in a channel's life, or only in minor ways: who calls whom, and since when. */
type Facts = Pick<
  Channel,
  'direction' | 'callerName' | 'callerNumber' | 'calledNumber' | 'createdAt' | 'name' | 'source' | 'origin'
>

/** Longer values are cut: they are kept for every live channel. */
const maxFactLength = 128

const unknownFacts: Facts = {
  direction: '',
  callerName: '',
  callerNumber: '',
  calledNumber: '',
  createdAt: '',
  name: '',
  source: '',
  origin: '',
}

/** Returns a channel of which only the uuid is known. */
export function blankChannel(uuid: string): Channel {
  return {
    uuid,
    engine: '',
    core: '',
    domain: '',
    presenceId: '',
    isAccountKnown: false,
    requestId: '',
    changedAt: 0,
    callState: '',
    ...unknownFacts,
    proven: false,
    heard: false,
    unsureSince: 0,
  }
}

/** Returns whether an event is one of {@link lifeEvents}. */
export function isLifeEvent(name: string): name is LifeEvent {
  return lifeEvents.some((event) => event === name)
}

/**
 * Returns the facts of a channel from an event, a dump or a row of `show channels`, where they are not known yet:
 * reading them again with every event would have no effect. A row knows the second of the creation only.
 */
export function factsOf(before: Channel | undefined, read: ReadField): Facts {
  if (before !== undefined && before.createdAt !== '') return before
  const epoch = read('created_epoch')
  return {
    direction: kept(read('Call-Direction') ?? read('direction')),
    callerName: kept(read('Caller-Caller-ID-Name') ?? read('cid_name')),
    callerNumber: kept(read('Caller-Caller-ID-Number') ?? read('cid_num')),
    calledNumber: kept(read('Caller-Destination-Number') ?? read('dest')),
    createdAt: kept(read('Caller-Channel-Created-Time') ?? (epoch === undefined ? undefined : `${epoch}000000`)),
    name: kept(read('Channel-Name') ?? read('name')),
    source: kept(read('Caller-Source')),
    origin: kept(originOf(read)),
  }
}

/** The variable of a placed call that has the id of its API request. */
export const causeVariable = 'svc_request_id'

/**
 * Returns the id of the request that placed a call, from one of {@link lifeEvents}: all of them have the variables, and
 * the events before the first have none. A dial plan may set any variable: what is no id of a request counts as none.
 */
export function requestIdIn(read: ReadField): string {
  if (!isLifeEvent(read('Event-Name') ?? '')) return ''
  const given = read(`variable_${causeVariable}`)
  return requestId.safeParse(given).success ? kept(given) : ''
}

/** A row names the leg that a call began with, which is the row's own for all but those that were made for another. */
function originOf(read: ReadField): string | undefined {
  const call = read('call_uuid')
  if (call === undefined || read('uuid') === undefined) return originOfLeg(read)
  return call === read('uuid') || read('direction') === 'inbound' ? undefined : callIdOf(call)
}

/** A cut text shares the memory of the whole: it is copied, so that a long value is not kept for its beginning. */
function kept(value = '', maxLength = maxFactLength): string {
  return value.length <= maxLength ? value : Buffer.from(value.slice(0, maxLength)).toString()
}

/** Receives the channels of domains, to store them beyond this process. Must not throw. */
export interface CallWatcher {
  /** A channel is up that was not known, or not as one of this engine, process and account, or it was hung up. */
  live(channel: Channel): void
  /** A channel is gone, or was taken to be; it may come back. */
  ended(channel: Channel): void
}

/** Returns whether the engine has hung up a channel: it makes its account busy no longer. */
export function isHungUp(channel: Channel | undefined): boolean {
  return channel?.callState === 'HANGUP'
}

/**
 * Returns whether the record of a channel has to be written: the channel has a domain, and its domain, engine, process
 * or account differs from `before`, or it has an account and was hung up since.
 */
export function mustBeStored(before: Channel | undefined, after: Channel): boolean {
  if (after.domain === '' || after.core === '') return false
  return (
    before?.core !== after.core ||
    before.domain !== after.domain ||
    before.engine !== after.engine ||
    before.presenceId !== after.presenceId ||
    (after.presenceId !== '' && isHungUp(after) && !isHungUp(before))
  )
}
