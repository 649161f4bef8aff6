import { isJsonObject } from '../default-routes/json.ts'
import { type EngineAction, type StepContext, StepProblem } from './engine-action.ts'

/** Returns an application with its data. */
export function application(name: string, data = ''): EngineAction {
  return { application: name, data }
}

/** Returns the application that sets a variable of the caller's leg. */
export function set(name: string, value: string): EngineAction {
  return application('set', `${name}=${value}`)
}

/**
 * A dialled text, login or number: the only texts of a call that become part of an application's data. One that begins
 * with `-` would be an option of `transfer`.
 */
export const accountPattern = /^[A-Za-z0-9._+*#][A-Za-z0-9._+*#-]{0,63}$/

/** Returns the login or number of an account, given with the own domain or without. */
export function accountName(text: string, at = ''): string {
  const name = text.split('@')[0] ?? ''
  if (!accountPattern.test(name)) throw new StepProblem('must be the login or number of an account', at)
  return name
}

/** Returns the name that a room, queue or lot of a domain has at the engine. No domain has `_` in its name. */
export function nameAtEngine(domain: string, text: string, at = ''): string {
  const name = text.split('@')[0] ?? ''
  if (!/^[A-Za-z0-9.-][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new StepProblem('must be a name of 1-64 letters, digits and . _ -', at)
  }
  return `${domain}_${name}`
}

/** Reads a whole number within limits, also from text. */
export function wholeNumber(value: unknown, least: number, most: number, at = ''): number {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most) return number
  throw new StepProblem(`must be a whole number from ${least} to ${most}`, at)
}

const causes: ReadonlySet<string> = new Set(
  `UNALLOCATED_NUMBER NO_ROUTE_TRANSIT_NET NO_ROUTE_DESTINATION CHANNEL_UNACCEPTABLE NORMAL_CLEARING USER_BUSY
  NO_USER_RESPONSE NO_ANSWER SUBSCRIBER_ABSENT CALL_REJECTED NUMBER_CHANGED DESTINATION_OUT_OF_ORDER
  INVALID_NUMBER_FORMAT FACILITY_REJECTED NORMAL_UNSPECIFIED NORMAL_CIRCUIT_CONGESTION NETWORK_OUT_OF_ORDER
  NORMAL_TEMPORARY_FAILURE SWITCH_CONGESTION REQUESTED_CHAN_UNAVAIL OUTGOING_CALL_BARRED INCOMING_CALL_BARRED
  BEARERCAPABILITY_NOTAUTH BEARERCAPABILITY_NOTAVAIL SERVICE_UNAVAILABLE SERVICE_NOT_IMPLEMENTED
  INCOMPATIBLE_DESTINATION RECOVERY_ON_TIMER_EXPIRE INTERWORKING ALLOTTED_TIMEOUT USER_NOT_REGISTERED
  PROGRESS_TIMEOUT MANAGER_REQUEST`.split(/\s+/),
)

/** Reads a hang-up cause; an empty text means NORMAL_CLEARING. */
export function hangUpCause(value: unknown, at = ''): string {
  if (value === '' || value === undefined) return 'NORMAL_CLEARING'
  if (typeof value === 'string' && causes.has(value)) return value
  throw new StepProblem('must be a cause such as USER_BUSY, or empty', at)
}

/** Ends a call with a cause, also after a bridge: otherwise the engine would repeat the answer of the called side. */
export function hangUp(cause: string): EngineAction[] {
  return [set('sip_ignore_remote_cause', 'true'), application('hangup', cause)]
}

/** Tones by name, in the engine's notation: milliseconds of sound, of silence, and frequencies. */
const tones: Readonly<Record<string, string>> = {
  ring: '%(2000,4000,440,480)',
  busy: '%(500,500,480,620)',
  congestion: '%(250,250,480,620)',
  dial: '%(10000,0,350,440)',
}

const tonePattern = /^(?:%\(\d{1,5},\d{1,5},\d{1,5}(?:,\d{1,5}){0,3}\)){1,8}$/

/** Reads a tone by its name or in the engine's notation. */
export function toneOf(value: unknown, at = ''): string {
  const tone = typeof value === 'string' && Object.hasOwn(tones, value) ? tones[value] : value
  if (typeof tone === 'string' && tonePattern.test(tone)) return tone
  throw new StepProblem(`must be ${Object.keys(tones).join(', ')}, or a tone such as %(2000,4000,440,480)`, at)
}

/** Returns the file of a sound of the domain's folder. The engine replaces `${sounds_folder}`, a setting of its own. */
export function soundOf(text: string, { domain, fill }: StepContext, at = ''): string {
  const name = fill(text)
  const isName = /^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N} ._+-]*(?:\/[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N} ._+-]*)*$/u.test(
    name,
  )
  if (!isName) throw new StepProblem('must be the name of a sound of the domain, such as greetings/closed.wav', at)
  return `\${sounds_folder}/${domain}/${name}`
}

/** Returns the members of an object that has no others than these. */
export function membersOf(argument: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isJsonObject(argument)) throw new StepProblem(`must be an object of ${names.join(', ')}`)
  const unknown = Object.keys(argument).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new StepProblem('the engine cannot do this: leave it out', `.${unknown.slice(0, 64)}`)
  return argument
}
