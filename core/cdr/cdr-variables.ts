import { isClientVariable } from '../client-names/client-names.ts'
import type { EndFields } from './end-fields.ts'

/** The limits of the other variables in a CDR. The largest recorded leg has 213 of about 7 KB in all. */
export const variableLimits = {
  count: 400,
  /** Characters of a name and of a value; longer values are cut, variables of longer names left out. */
  name: 128,
  value: 1024,
  /** Characters of all names and values together. */
  all: 100_000,
} as const

const prefix = 'variable_'

/** Printable ASCII: a name that can be used in a query. */
const askable = /^[!-~]+$/

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

/** Variables that the service itself sets on channels, to identify their owners. */
const ofService = /^(?:svc|w_|domain_name$|uuid$|user_scheme$|user_context$|account_role$|process_cdr$|__proto__$)/i

/**
 * Names of secrets, which readers of CDRs must not see: credentials of SIP and of other services, and descriptions of
 * media, which contain the keys that encrypt it.
 */
const secret =
  /auth(?!or(?!i[sz]))|passw|passphrase|passcode|pwd|secret(?!ar)|hash(?!tag)|token|credential|crypto|cookie|nonce|digest|sdp|bearer|jwt|api_?key|(?:^|[_-])(?:pin|key|a1)(?:$|[_-])/i

/**
 * The user and password of an address. Neither has brackets, which stand around another address or an IPv6 host, and in
 * SIP a password ends before parameters and before the next address of a list.
 */
const userInfo =
  /(?:sips?:[^\s/@:<>"[\]]{1,256}:(?:(?!,\s*sips?:)[^\s/@<>"[\];?]){1,256}|:\/\/[^\s/@:<>"[\]]{1,256}:[^\s/@<>"[\]]{1,256})@/i

interface Variable {
  readonly field: string
  readonly name: string
  readonly owner: 'client' | 'engine'
}

/**
 * The latest classifications by field; `undefined` for one that is no variable or is not shown. Legs have nearly the
 * same fields, and classifying all of them anew takes 0.1 ms a leg. Clients choose some names, so at
 * {@link mostClassified} everything is forgotten: at most 1 MB, since longer names are not shown.
 */
const classified = new Map<string, Variable | undefined>()
const mostClassified = 2_000

/** A variable that a CDR shows, and its value. */
export interface ShownVariable extends Variable {
  readonly value: string
}

/**
 * Returns the other variables of a channel: not the sources of fields, not those of the service, and no secrets. Beyond
 * {@link variableLimits}, the engine's own variables are dropped first, beginning with the last by name.
 */
export function shownVariables(fields: EndFields): ShownVariable[] {
  const shown: ShownVariable[] = []
  let all = 0
  for (const field of Object.keys(fields)) {
    const variable = variableOf(field)
    if (variable === undefined) continue
    const value = cut(fields[field] ?? '', variableLimits.value)
    if (value === '' || containsSecret(value)) continue
    const { name, owner } = variable
    all += name.length + value.length
    shown.push({ field, name, owner, value })
  }
  return shown.length > variableLimits.count || all > variableLimits.all ? firstOf(shown) : shown
}

function firstOf(shown: readonly ShownVariable[]): ShownVariable[] {
  const { client = [], engine = [] } = Object.groupBy(shown, ({ owner }) => owner)
  const kept: ShownVariable[] = []
  let all = 0
  for (const variable of [...client.sort(byName), ...engine.sort(byName)]) {
    all += variable.name.length + variable.value.length
    if (kept.length === variableLimits.count || all > variableLimits.all) break
    kept.push(variable)
  }
  return kept
}

/** Returns the values of {@link shownVariables} by name, without the fields' prefix, in the order of names. */
export function cdrVariables(fields: EndFields): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const { name, value } of shownVariables(fields).sort(byName)) variables[name] = value
  return variables
}

/** Returns a text of at most so many characters; half of a surrogate pair at the cut is replaced. */
export function cut(text: string, length: number): string {
  return (text.length <= length ? text : text.slice(0, length)).toWellFormed()
}

function variableOf(field: string): Variable | undefined {
  if (classified.has(field)) return classified.get(field)
  if (field.length > prefix.length + variableLimits.name) return undefined
  const name = field.slice(prefix.length)
  const isVariable = field.startsWith(prefix) && isShown(name)
  const variable = isVariable
    ? ({ field, name, owner: isClientVariable(name) ? 'client' : 'engine' } as const)
    : undefined
  if (classified.size === mostClassified) classified.clear()
  classified.set(field, variable)
  return variable
}

function isShown(name: string): boolean {
  if (!askable.test(name)) return false
  return !fieldSources.has(name) && !ofService.test(name) && !secret.test(name)
}

/**
 * Returns whether a value contains a secret: as part of an application's data (`last_arg` of a bridge:
 * `[sip_auth_password=…]sofia/…`), or as an address with a password.
 */
function containsSecret(value: string): boolean {
  if (!value.includes('=') && !value.includes('@')) return false
  const names = value.split('=').slice(0, -1)
  return names.some((text) => secret.test(/[\w.-]{1,64}$/.exec(text.slice(-64))?.[0] ?? '')) || userInfo.test(value)
}

/** By code unit, so that the order is the same everywhere. */
function byName(one: Variable, other: Variable): number {
  if (one.name === other.name) return 0
  return one.name < other.name ? -1 : 1
}
