import { login } from '../../contracts/fields.ts'
import { isRung, loginOfRegistration } from '../../core/accounts/dial-string.ts'
import type { RegisteredContact } from '../../core/accounts/presence.ts'
import type { EngineEvent } from '../runtime/engine.ts'

/** A report of the engine about one phone of an account. */
export interface Registration {
  /** Lower case. */
  readonly login: string
  /** The phone's address; the same in every event of one registration. `*` stands for all phones of the account. */
  readonly contact: string
  /** The contact at the address that the request came from: an engine of the kit registers it as this. */
  readonly source?: string | undefined
  /** Why the engine does not ring the phone; absent if it does. */
  readonly refused?: RegisteredContact['refused']
  /** Seconds that the registration lasts from now; 0 when it has ended. */
  readonly lastsSeconds: number
}

/**
 * The engine keeps a registration for a minute longer than the phone asked for (recorded: `show registrations` shows
 * an expiry 60 s later, and `sofia::expire` came 80 s after a registration for 20 s).
 */
const graceSeconds = 60

/**
 * Reads `sofia::register`, `sofia::unregister` and `sofia::expire`; anything else, and an event whose user cannot be
 * an account, is `undefined`. Only the first has a length of time in `expires`; in an expiry it is a date.
 */
export function readRegistration(event: Pick<EngineEvent, 'subclass' | 'header'>): Registration | undefined {
  const { subclass } = event
  if (subclass !== 'sofia::register' && subclass !== 'sofia::unregister' && subclass !== 'sofia::expire')
    return undefined
  const name =
    event.header('user_name') ?? event.header('username') ?? event.header('from-user') ?? event.header('user') ?? ''
  const user = loginOfRegistration(name)
  if (!login.safeParse(user).success) return undefined
  const asked = Number(event.header('expires'))
  const isLive = subclass === 'sofia::register' && Number.isFinite(asked) && asked > 0
  return {
    login: user.toLowerCase(),
    contact: contactId(event.header('contact') ?? ''),
    ...(isLive ? refusalOf(event.header('from-user') ?? '', event.header('contact') ?? '') : sourceOf(event)),
    lastsSeconds: isLive ? asked + graceSeconds : 0,
  }
}

/**
 * Returns why an engine does not ring a contact that is registered under this name. Only engines of the kit register
 * full names; what others ring is unknown.
 */
export function refusalOf(name: string, contact: string): Pick<Registration, 'refused'> {
  return loginOfRegistration(name) === name || isRung(contact) ? {} : { refused: 'contact' }
}

/** The contact at the source address: the phone is registered there, but its end is reported with its own contact. */
function sourceOf(event: Pick<EngineEvent, 'header'>): Pick<Registration, 'source'> {
  const [ip, port] = [event.header('network-ip'), event.header('network-port')]
  const [, before, after] =
    /^(sips?:[^@]*@)(?:\[[^\]]*\]|[^:;]*)(?::\d+)?(.*)$/.exec(contactId(event.header('contact') ?? '')) ?? []
  if (ip === undefined || port === undefined || before === undefined) return {}
  return { source: contactId(`${before}${ip.includes(':') ? `[${ip}]` : ip}:${port}${after}`) }
}

/** The engine keeps no more of a contact. */
const maxLength = 1_024

/** A quoted display name may hold anything, angle brackets too. */
const quotedName = /^\s*"(?:[^"\\]|\\.)*"/

const uri = /^(sips?):(?:([^@]*)@)?(\[[^\]]*\]|[^:;?]*)(:\d+)?([^?]*)(.*)$/i

/**
 * Returns the address of a contact, the same for every spelling that RFC 3261 (19.1.4) calls equal, all parameters
 * included. The display name decides nothing: it is there in one event and not in the next. Nor does the engine's own
 * mark.
 */
export function contactId(contact: string): string {
  const rest = contact.replace(quotedName, '')
  const address = (/<([^<>]*)>[^<>]*$/.exec(rest)?.[1] ?? rest).trim().replace(/;fs_nat=yes$/, '')
  const [, scheme, user, host = '', port = '', parameters = '', headers = ''] = uri.exec(address) ?? []
  if (scheme === undefined) return address.slice(0, maxLength)
  const of = user === undefined ? '' : `${plain(user)}@`
  const sorted = plain(parameters).toLowerCase().split(';').slice(1).toSorted()
  const ending = sorted.map((parameter) => `;${parameter}`).join('')
  return `${scheme.toLowerCase()}:${of}${host.toLowerCase()}${port}${ending}${headers}`.slice(0, maxLength)
}

/** Characters that mean themselves may be escaped or not. */
function plain(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /[A-Za-z0-9_.!~*'()-]/.test(character) ? character : escaped.toUpperCase()
  })
}
