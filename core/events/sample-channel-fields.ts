import type { channelEvents } from './catalogue.ts'

type ChannelEvent = (typeof channelEvents)[number]
type Fields = Readonly<Record<string, string>>

/** The uuids of the sample's two legs. */
export const sampleLegs = ['5d0c8f5e-1f0a-4d0e-8c43-9f2b7a61d3e4', '8b7e2c1a-63b4-4b9a-a7c0-2d41f5e60b97'] as const

const [leg, otherLeg] = sampleLegs

/** The state of a channel; names and numbers as the engine writes them. */
const standing = {
  new: state('CS_INIT', '2', 'DOWN', 'ringing'),
  ringing: state('CS_EXECUTE', '4', 'RINGING', 'ringing'),
  early: state('CS_EXECUTE', '4', 'EARLY', 'early'),
  active: state('CS_EXECUTE', '4', 'ACTIVE', 'answered'),
  held: state('CS_EXECUTE', '4', 'HELD', 'answered'),
  hungUp: { ...state('CS_HANGUP', '10', 'HANGUP', 'hangup'), 'Hangup-Cause': 'NORMAL_CLEARING' },
  reported: { ...state('CS_REPORTING', '11', 'HANGUP', 'hangup'), 'Hangup-Cause': 'NORMAL_CLEARING' },
} as const

function state(channelState: string, number: string, callState: string, answerState: string): Fields {
  return {
    'Channel-State': channelState,
    'Channel-Call-State': callState,
    'Channel-State-Number': number,
    'Answer-State': answerState,
  }
}

const bridge = { 'Bridge-A-Unique-ID': leg, 'Bridge-B-Unique-ID': otherLeg, 'Other-Leg-Unique-ID': otherLeg }
const record = { 'Record-File-Path': `/var/recordings/${leg}.wav` }
const playback = { 'Playback-File-Type': 'file', 'Playback-File-Path': '/var/sounds/welcome.wav' }

/** The distinctive fields of each event of a call, as recorded from an engine. */
const own: Readonly<Record<ChannelEvent, Fields>> = {
  CHANNEL_CREATE: standing.new,
  CHANNEL_STATE: standing.ringing,
  CHANNEL_CALLSTATE: {
    ...standing.active,
    'Original-Channel-Call-State': 'RINGING',
    'Channel-Call-State-Number': '4',
  },
  CHANNEL_ANSWER: standing.active,
  CHANNEL_PROGRESS: standing.ringing,
  CHANNEL_PROGRESS_MEDIA: standing.early,
  CHANNEL_BRIDGE: { ...standing.active, ...bridge },
  CHANNEL_UNBRIDGE: { ...standing.active, ...bridge },
  CHANNEL_HOLD: { ...standing.held, 'Other-Leg-Unique-ID': otherLeg },
  CHANNEL_UNHOLD: { ...standing.active, 'Other-Leg-Unique-ID': otherLeg },
  CHANNEL_PARK: standing.active,
  CHANNEL_UNPARK: standing.active,
  CHANNEL_HANGUP: standing.hungUp,
  CHANNEL_HANGUP_COMPLETE: {
    ...standing.reported,
    variable_hangup_cause: 'NORMAL_CLEARING',
    variable_hangup_cause_q850: '16',
    variable_sip_hangup_disposition: 'send_bye',
    variable_duration: '12',
    variable_billsec: '9',
    variable_answersec: '3',
  },
  CHANNEL_DESTROY: standing.reported,
  DTMF: { ...standing.active, 'DTMF-Digit': '5', 'DTMF-Duration': '960', 'DTMF-Source': 'RTP' },
  RECORD_START: { ...standing.active, ...record },
  RECORD_STOP: { ...standing.active, ...record, 'Record-Completion-Cause': 'success-maxtime' },
  PLAYBACK_START: { ...standing.active, ...playback },
  PLAYBACK_STOP: { ...standing.active, ...playback, 'Playback-Status': 'done' },
}

const ownFields: ReadonlyMap<string, Fields> = new Map(Object.entries(own))

/**
 * Returns the fields of an event of a call, as an engine sends it: 1000 of the domain calls 1001. `createdAt` is the
 * beginning of the call, epoch milliseconds. `undefined` for a name that is not an event of a call.
 */
export function sampleChannelFields(name: string, domain: string, createdAt: number): Fields | undefined {
  const fields = ownFields.get(name)
  if (fields === undefined) return undefined
  const channelName = `sofia/internal/1000@${domain}`
  const created = `${createdAt}000`
  return {
    'Channel-Name': channelName,
    'Unique-ID': leg,
    'Call-Direction': 'inbound',
    'Presence-Call-Direction': 'inbound',
    'Channel-HIT-Dialplan': 'true',
    'Channel-Presence-ID': `1000@${domain}`,
    'Channel-Call-UUID': leg,
    'Channel-Read-Codec-Name': 'PCMU',
    'Channel-Read-Codec-Rate': '8000',
    'Channel-Write-Codec-Name': 'PCMU',
    'Channel-Write-Codec-Rate': '8000',
    'Caller-Direction': 'inbound',
    'Caller-Logical-Direction': 'inbound',
    'Caller-Username': '1000',
    'Caller-Dialplan': 'XML',
    'Caller-Caller-ID-Name': 'Alice "Al" Adams',
    'Caller-Caller-ID-Number': '1000',
    'Caller-Network-Addr': '192.0.2.10',
    'Caller-ANI': '1000',
    'Caller-Destination-Number': '1001',
    'Caller-Unique-ID': leg,
    'Caller-Source': 'mod_sofia',
    'Caller-Context': domain,
    'Caller-Channel-Name': channelName,
    'Caller-Channel-Created-Time': created,
    ...(withoutVariables.has(name) ? {} : variables(domain)),
    ...fields,
  }
}

/** The events that the engine sends without the variables of a channel. */
const withoutVariables: ReadonlySet<string> = new Set(['CHANNEL_STATE', 'CHANNEL_CALLSTATE'])

function variables(domain: string): Fields {
  return {
    variable_direction: 'inbound',
    variable_uuid: leg,
    variable_call_uuid: leg,
    variable_sip_from_user: '1000',
    variable_sip_from_host: domain,
    variable_sip_to_user: '1001',
    variable_sip_to_host: domain,
    variable_sip_call_id: '68c02756f9d61ccf4359',
    variable_user_name: '1000',
    variable_domain_name: domain,
    variable_presence_id: `1000@${domain}`,
  }
}
