import { legDomainCandidates } from '../channels/leg.ts'
import type { CdrPart } from './cdr.ts'
import { type EndedLeg, cdrOfEnd } from './cdr-of-end.ts'
import { type EndFields, reported } from './end-fields.ts'

/** Returns the CDR fields of the engine's CDR post; `undefined` if it has no usable time. */
export function cdrFromPost(post: EndedLeg): CdrPart | undefined {
  const cdr = cdrOfEnd(post)
  return cdr === undefined ? undefined : { source: 'post', cdr }
}

/** Returns the names that may be the domain of a posted leg, best first: see {@link legDomainCandidates}. */
export function postDomainCandidates(fields: EndFields): string[] {
  const read = (name: string) => reported(fields, name)
  return [...legDomainCandidates(read, () => undefined)]
}

type Members = Readonly<Record<string, unknown>>

/** The members of a leg's profile in the post, each with the equivalent header of events. */
const profileHeaders = {
  caller_id_name: 'Caller-Caller-ID-Name',
  caller_id_number: 'Caller-Caller-ID-Number',
  destination_number: 'Caller-Destination-Number',
  network_addr: 'Caller-Network-Addr',
  source: 'Caller-Source',
  context: 'Caller-Context',
} as const

/**
 * Returns a CDR post of the engine (mod_json_cdr) under the names of event headers; `undefined` for anything else. With
 * `encode-values`, the default of the module, its variables are percent-encoded without a mark in the post. The
 * encoding is recognized by the leg's own time stamps, which the engine writes at the end of each leg and which contain
 * a space. As with plain events, a percent sign before two hexadecimal digits is not escaped, so such a value cannot be
 * distinguished from an encoded one.
 */
export function fieldsOfPost(post: unknown, percentDecode: (text: string) => string): EndFields | undefined {
  const root = members(post)
  const variables = Object.entries(members(root['variables']))
  if (variables.length === 0) return undefined
  const decode = isEncoded(variables) ? percentDecode : (text: string) => text
  const fields = new Map<string, string>()
  for (const [name, value] of variables) fields.set(`variable_${name}`, decode(textOf(value)))
  const set = (name: string, value: unknown) => {
    if (value !== undefined) fields.set(name, textOf(value))
  }
  set('Core-UUID', root['core-uuid'])
  set('Unique-ID', fields.get('variable_uuid'))
  set('Channel-Presence-ID', fields.get('variable_presence_id'))
  set('Channel-Name', fields.get('variable_channel_name'))
  set('Call-Direction', members(root['channel_data'])['direction'] ?? fields.get('variable_direction'))
  setProfile(set, latestFlow(root))
  return Object.fromEntries(fields)
}

/** The engine writes the latest call flow of a leg first, which is the one in its events. */
function latestFlow(root: Members): Members {
  const flow = root['callflow']
  return members(Array.isArray(flow) ? flow[0] : undefined)
}

function setProfile(set: (name: string, value: unknown) => void, flow: Members): void {
  const profile = members(flow['caller_profile'])
  for (const [name, header] of Object.entries(profileHeaders)) set(header, profile[name])
  set('Caller-Channel-Created-Time', members(flow['times'])['created_time'])
  for (const type of ['originatee', 'originator']) {
    const others = members(profile[type])[`${type}_caller_profiles`]
    const other = members(Array.isArray(others) ? others[0] : undefined)
    if (other['uuid'] === undefined) continue
    set('Other-Type', type)
    set('Other-Leg-Unique-ID', other['uuid'])
  }
}

const stamps: ReadonlySet<string> = new Set(['start_stamp', 'profile_start_stamp', 'end_stamp'])

function isEncoded(variables: readonly (readonly [string, unknown])[]): boolean {
  return variables.some(([name, value]) => stamps.has(name) && /^\d{4}-\d\d-\d\d%20/.test(textOf(value)))
}

/** Returns a value in the form of the engine's events: a list as `ARRAY::a|:b`, a list of one as its only value. */
function textOf(value: unknown): string {
  if (!Array.isArray(value)) return plainText(value)
  const items = value.map(plainText)
  return items.length > 1 ? `ARRAY::${items.join('|:')}` : (items[0] ?? '')
}

/** The engine nests nothing deeper; deeper values of other senders are ignored. */
function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {}
}
