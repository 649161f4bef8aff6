import { isClientVariable } from '../client-names/client-names.ts'
import { type EndFields, told } from './end-fields.ts'

/** What a CDR keeps of the channel's other variables at most. The fullest recorded leg has 213 of about 7 KB in all. */
export const variableLimits = {
  count: 400,
  /** Characters of a name and of a value; longer values are cut, variables of longer names left out. */
  name: 128,
  value: 1024,
  /** Characters of all names and values together. */
  all: 100_000,
} as const

const prefix = 'variable_'

/** Printable ASCII: a name that can be asked for in a query. */
const askable = /^[!-~]+$/

/** Where fields of the contract come from: these are no other variables. */
const fieldSources: ReadonlySet<string> = new Set([
  'originating_leg_uuid',
  'presence_id',
  'sip_network_ip',
  'sip_gateway_name',
  'duration',
  'billsec',
  'progresssec',
  'answersec',
  'waitsec',
  'hold_accum_seconds',
  'hangup_cause',
  'hangup_cause_q850',
  'sip_hangup_disposition',
  'originate_disposition',
  'transfer_disposition',
  'rtp_audio_in_quality_percentage',
])

/** What the service itself sets on channels, to know whose they are. */
const ofService = /^(?:svc|w_|domain_name$|uuid$|user_scheme$|user_context$|account_role$|process_cdr$|__proto__$)/i

/**
 * Names of what must not be read by whoever reads CDRs: credentials of SIP and of others, and descriptions of media,
 * which hold the keys that the media is encrypted with.
 */
const secret =
  /auth|passw|passphrase|passcode|pwd|secret|hash|token|credential|crypto|cookie|nonce|digest|sdp|bearer|jwt|api_?key|(?:^|[_-])(?:pin|key|a1)(?:$|[_-])/i

/** The user and password of an address. */
const userInfo = /(?:sips?:|:\/\/)[^\s/@:]{1,256}:[^\s/@]{1,256}@/i

/**
 * The other variables of a channel, without their prefix: not those that fields come from, those of the service, and
 * those that are or tell secrets. Of more than {@link variableLimits} allows, the engine's own go first, and of these the
 * last by name.
 */
export function cdrVariables(fields: EndFields): Record<string, string> {
  const given = Object.keys(fields)
    .filter((field) => field.startsWith(prefix))
    .map((field) => field.slice(prefix.length))
    .filter(isShown)
    .sort(clientsFirst)
  const kept: [string, string][] = []
  let all = 0
  for (const name of given) {
    const value = cut(told(fields, prefix + name) ?? '', variableLimits.value)
    if (value === '' || tellsSecret(value)) continue
    all += name.length + value.length
    if (kept.length === variableLimits.count || all > variableLimits.all) break
    kept.push([name, value])
  }
  return Object.fromEntries(kept.sort(byName))
}

/** A text of so many characters at most; the half of a pair that a cut leaves is replaced. */
export function cut(text: string, length: number): string {
  return (text.length <= length ? text : text.slice(0, length)).toWellFormed()
}

function isShown(name: string): boolean {
  if (name.length > variableLimits.name || !askable.test(name)) return false
  return !fieldSources.has(name) && !ofService.test(name) && !secret.test(name)
}

/**
 * Whether a value sets something secret, as the data of an application does (`last_arg` of a bridge:
 * `[sip_auth_password=…]sofia/…`), or is an address with a password in it.
 */
function tellsSecret(value: string): boolean {
  const names = value.split('=').slice(0, -1)
  return names.some((text) => secret.test(/[\w.-]{1,64}$/.exec(text.slice(-64))?.[0] ?? '')) || userInfo.test(value)
}

function clientsFirst(left: string, right: string): number {
  const ranks = Number(!isClientVariable(left)) - Number(!isClientVariable(right))
  return ranks === 0 ? byName([left, ''], [right, '']) : ranks
}

/** By code unit, so that the order is the same everywhere. */
function byName([left]: readonly [string, string], [right]: readonly [string, string]): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
