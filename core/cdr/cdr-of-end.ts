import type { Cdr } from './cdr.ts'
import { cdrVariables, cut } from './cdr-variables.ts'
import { accountIn, accountOfLeg } from '../channels/leg.ts'
import { dialledNumber } from '../dialplan/dialplan-question.ts'
import { type EndFields, firstReported, knownAccountField, legOf, parentOf, reported } from './end-fields.ts'

/** An ended leg: its domain, its uuid and the fields that the engine reported. */
export interface EndedLeg {
  readonly domain: string
  /** As core/channels/call-id.ts has it. */
  readonly uuid: string
  /** The time of the engine's report, epoch milliseconds. */
  readonly occurredAt: number
  readonly fields: EndFields
}

/** Longer text of a field is cut: names and numbers are shorter, and the store accepts 32 766 bytes. */
const maxText = 1024

/** The contract's text fields with their sources, best first. */
const texts = {
  direction: ['Call-Direction'],
  caller_id_name: ['Caller-Caller-ID-Name'],
  caller_id_number: ['Caller-Caller-ID-Number'],
  network_addr: ['variable_sip_network_ip', 'Caller-Network-Addr'],
  source: ['Caller-Source'],
  gateway: ['variable_sip_gateway_name'],
  hangup_cause: ['variable_hangup_cause', 'Hangup-Cause'],
  hangup_disposition: ['variable_sip_hangup_disposition'],
  originate_disposition: ['variable_originate_disposition'],
  transfer_disposition: ['variable_transfer_disposition'],
} as const satisfies { readonly [F in keyof Cdr]?: readonly string[] }

const numbers = {
  duration: 'variable_duration',
  billsec: 'variable_billsec',
  progresssec: 'variable_progresssec',
  answersec: 'variable_answersec',
  waitsec: 'variable_waitsec',
  holdsec: 'variable_hold_accum_seconds',
  hangup_cause_q850: 'variable_hangup_cause_q850',
} as const satisfies { readonly [F in keyof Cdr]?: string }

/** No call of this platform began outside of these years; a date beyond them is a corrupted number. */
const [earliest, latest] = [Date.UTC(2000, 0, 1), Date.UTC(2100, 0, 1)]

/** How long before its report a call may have begun. */
export const longestCallMs = 30 * 86_400_000

/** No report of a call comes later than this after its end. */
export const latestReportMs = 400 * 86_400_000

/** How far the beginning of a call may lie after its report: clocks differ. */
const aheadMs = 5 * 60_000

/**
 * Returns the CDR of an ended leg: the contract's fields, each from its source. Fields that the engine did not report,
 * or reported in a wrong form, are left out. Without a believable time of creation, the time of the report is used;
 * `undefined` when that is not usable either.
 */
export function cdrOfEnd(ended: EndedLeg): Cdr | undefined {
  const { domain, uuid, occurredAt, fields } = ended
  const engineTime = engineTimeOf(ended)
  const isBelieved = engineTime !== undefined && isBelievable(engineTime, occurredAt)
  const createdTime = isBelieved ? engineTime : occurredAt
  if (!isOfOurs(createdTime)) return undefined
  const leg = legOf(fields)
  const account = accountOfEnd(fields, domain)
  return {
    uuid,
    domain_name: domain,
    leg,
    created_time: createdTime,
    ...present({
      parent_uuid: shortened(parentOf(fields)),
      presence_id: account,
      extension: account?.slice(0, account.lastIndexOf('@')),
      destination_number: shortened(dialledIn(fields)),
      quality_percentage_audio: percentage(reported(fields, 'variable_rtp_audio_in_quality_percentage')),
    }),
    ...textsOf(fields),
    ...durationsOf(fields),
    variables: {
      ...cdrVariables(fields),
      ...spellingOf(fields, uuid),
      ...(engineTime !== undefined && !isBelieved && { engine_time: new Date(engineTime).toISOString() }),
    },
  }
}

/** A UUID is found in small letters; the engine may spell it otherwise. */
function spellingOf(fields: EndFields, id: string): { readonly uuid?: string } {
  const spelled = reported(fields, 'Unique-ID')
  return spelled === undefined || spelled === id ? {} : { uuid: shortened(spelled) ?? '' }
}

function dialledIn(fields: EndFields): string | undefined {
  const dialled = reported(fields, 'Caller-Destination-Number')
  return dialled && dialledNumber(dialled)
}

function textsOf(fields: EndFields): Partial<Cdr> {
  return present(
    Object.fromEntries(Object.entries(texts).map(([field, names]) => [field, shortened(firstReported(fields, names))])),
  )
}

function durationsOf(fields: EndFields): Partial<Cdr> {
  const read = Object.fromEntries(Object.entries(numbers).map(([field, name]) => [field, wholeNumber(fields, name)]))
  const { billsec, holdsec } = read
  // The engine rounds both values independently, so that hold can be the longer of them.
  const talksec = billsec === undefined || holdsec === undefined ? undefined : Math.max(0, billsec - holdsec)
  return present({ ...read, talksec })
}

/** The connector's knowledge of the leg's whole life takes precedence; its last event and post may know less. */
function accountOfEnd(fields: EndFields, domain: string): string | undefined {
  return accountIn(domain, reported(fields, knownAccountField) ?? accountOfLeg((name) => reported(fields, name)))
}

/** Returns when a leg began by the engine's clock, whether that is believable or not, as far as the engine says. */
export function engineTimeOf({ occurredAt, fields }: Pick<EndedLeg, 'occurredAt' | 'fields'>): number | undefined {
  const microseconds = [reported(fields, 'Caller-Channel-Created-Time'), reported(fields, 'variable_start_uepoch')]
  const times = microseconds.map((text) => Math.floor(digits(text) / 1_000))
  return times.find((time) => isBelievable(time, occurredAt)) ?? times.find(isOfOurs)
}

function isBelievable(time: number, occurredAt: number): boolean {
  return time >= occurredAt - longestCallMs && time <= occurredAt + aheadMs
}

function isOfOurs(time: number): boolean {
  return time >= earliest && time < latest
}

function wholeNumber(fields: EndFields, name: string): number | undefined {
  const value = digits(reported(fields, name))
  return value <= 0x7f_ff_ff_ff ? value : undefined
}

/** Returns `NaN` if the text is not made of digits alone, of which 16 are exact. */
function digits(text: string | undefined): number {
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
}

function percentage(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,3}(?:\.\d{1,6})?$/.test(text) && Number(text) <= 100 ? Number(text) : undefined
}

function shortened(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cut(text, maxText)
}

function present<T extends object>(fields: T): T {
  const kept = { ...fields }
  for (const name in kept) if (kept[name] === undefined) delete kept[name]
  return kept
}
