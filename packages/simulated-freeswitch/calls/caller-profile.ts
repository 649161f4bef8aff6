import type { Header } from '../events/engine-event.ts'

/** Who calls whom, as the engine keeps it for each leg. */
export interface CallerProfile {
  direction: 'inbound' | 'outbound'
  logicalDirection: 'inbound' | 'outbound'
  username?: string | undefined
  dialplan?: string | undefined
  callerIdName?: string | undefined
  callerIdNumber: string
  origCallerIdName?: string | undefined
  origCallerIdNumber: string
  calleeIdName?: string | undefined
  calleeIdNumber?: string | undefined
  networkAddress?: string | undefined
  ani: string
  destinationNumber: string
  uniqueId: string
  source: string
  transferSource?: string | undefined
  context: string
  rdnis?: string | undefined
  channelName: string
  /** 1 until the call is transferred. */
  index: number
  /** Epoch microseconds. */
  createdAt: number
}

/** When what happened to a channel; epoch microseconds, 0 for never. */
export interface ChannelTimes {
  created: number
  answered: number
  progress: number
  progressMedia: number
  hangup: number
  bridged: number
  lastHold: number
  /** How long it was on hold, summed up, in microseconds. */
  holdAccumulated: number
}

/** Times of a channel that was made at `created`. */
export function newTimes(created: number): ChannelTimes {
  return { created, answered: 0, progress: 0, progressMedia: 0, hangup: 0, bridged: 0, lastHold: 0, holdAccumulated: 0 }
}

/**
 * Returns the headers of a profile: `Caller-…` of the channel itself, `Other-Leg-…` of the one it is connected to,
 * `Hunt-…` of the number that it looks up. A header without a value is left out, as the engine never sends an empty
 * one.
 */
export function profileHeaders(
  prefix: 'Caller' | 'Other-Leg' | 'Hunt',
  profile: CallerProfile,
  times: ChannelTimes,
): readonly Header[] {
  const headers: (readonly [string, string | undefined])[] = [
    ['Direction', profile.direction],
    ['Logical-Direction', profile.logicalDirection],
    ['Username', profile.username],
    ['Dialplan', profile.dialplan],
    ['Caller-ID-Name', profile.callerIdName],
    ['Caller-ID-Number', profile.callerIdNumber],
    ['Orig-Caller-ID-Name', profile.origCallerIdName],
    ['Orig-Caller-ID-Number', profile.origCallerIdNumber],
    ['Callee-ID-Name', profile.calleeIdName],
    ['Callee-ID-Number', profile.calleeIdNumber],
    ['Network-Addr', profile.networkAddress],
    ['ANI', profile.ani],
    ['Destination-Number', profile.destinationNumber],
    ['Unique-ID', profile.uniqueId],
    ['Source', profile.source],
    ['Transfer-Source', profile.transferSource],
    ['Context', profile.context],
    ['RDNIS', profile.rdnis],
    ['Channel-Name', profile.channelName],
    ['Profile-Index', prefix === 'Other-Leg' ? undefined : `${profile.index}`],
    ['Profile-Created-Time', `${profile.createdAt}`],
    ['Channel-Created-Time', `${times.created}`],
    ['Channel-Answered-Time', `${times.answered}`],
    ['Channel-Progress-Time', `${times.progress}`],
    ['Channel-Progress-Media-Time', `${times.progressMedia}`],
    ['Channel-Hangup-Time', `${times.hangup}`],
    ['Channel-Transfer-Time', '0'],
    ['Channel-Resurrect-Time', '0'],
    ['Channel-Bridged-Time', `${times.bridged}`],
    ['Channel-Last-Hold', `${times.lastHold}`],
    ['Channel-Hold-Accum', `${times.holdAccumulated}`],
    ['Screen-Bit', 'true'],
    ['Privacy-Hide-Name', 'false'],
    ['Privacy-Hide-Number', 'false'],
  ]
  return headers.flatMap(([name, value]): Header[] =>
    value === undefined || value === '' ? [] : [[`${prefix}-${name}`, value]],
  )
}
