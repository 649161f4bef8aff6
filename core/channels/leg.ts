import { gatewayOfEngine } from '../gateways/gateway.ts'
import { callIdOf } from './call-id.ts'

/** Reads one header or column of the engine's report; an empty value counts as absent. */
export type ReadField = (name: string) => string | undefined

/** The engine's names of the presence id in events and in the rows of `show channels`. */
const presenceFields = ['Channel-Presence-ID', 'presence_id', 'variable_presence_id']
const contextFields = ['Caller-Context', 'context', 'variable_user_context']
const partnerFields = ['Other-Leg-Unique-ID', 'variable_originating_leg_uuid', 'variable_other_loopback_leg_uuid']

const eventFields = ['realm', 'domain_name', 'from-host', 'host', 'Event-Domain', 'Domain-Name', 'domain']

const maxNameLength = 253

/**
 * Yields the names that may be the domain of a call leg, best first, lower-cased: the leg's domain is the first one
 * that exists as a domain. The domain that the service recorded for the leg's uuid has precedence, and the caller must
 * check it. A name is used whole or not at all: no suffix or part of it is a candidate. `domainOfLeg` returns the
 * domain of another leg by its uuid. Reads no field before its name is asked for: the first one is nearly always the
 * domain.
 */
export function legDomainCandidates(
  read: ReadField,
  domainOfLeg: (uuid: string) => string | undefined,
): Iterable<string> {
  return names([
    () => read('variable_domain_name'),
    () => read('variable_w_domain'),
    () => (cameIn(read) ? undefined : domainOfGateway(read('variable_sip_gateway_name'))),
    ...presenceFields.map((field) => () => (cameIn(read) ? undefined : hostOf(read(field)))),
    ...contextFields.map((field) => () => read(field)),
    ...partnerFields.map((field) => () => {
      const uuid = read(field)
      return uuid === undefined ? undefined : domainOfLeg(callIdOf(uuid))
    }),
  ])
}

/**
 * Yields the names that may be the domain of an event without a call, best first, lower-cased. An event of a gateway is
 * of the domain in the gateway's name at the engine.
 */
export function eventDomainCandidates(read: ReadField): Iterable<string> {
  if (isOfGateway(read)) return names([() => domainOfGateway(read('Gateway'))])
  return names(eventFields.map((field) => () => read(field)))
}

/** Returns whether an event is the engine's own about a gateway. */
export function isOfGateway(read: ReadField): boolean {
  return read('Event-Subclass')?.startsWith('sofia::gateway_') === true
}

/**
 * Returns the domain of a gateway by its name at the engine. The engine writes the name on each leg that it calls
 * through a gateway. A leg that comes in names the one that its sender chose, so it is not asked for.
 */
function domainOfGateway(gateway: string | undefined): string | undefined {
  return gatewayOfEngine(gateway ?? '')?.domain
}

/**
 * Returns whether the leg came in from outside. Its presence id is then the From header, which the caller chooses. The
 * presence id of a leg that the engine placed comes from the service's own dial string.
 */
function cameIn(read: ReadField): boolean {
  return (read('Call-Direction') ?? read('direction')) === 'inbound'
}

/** Returns the part after the `@` of a presence id; `undefined` unless there is exactly one `@`. */
function hostOf(presenceId: string | undefined): string | undefined {
  const parts = presenceId?.split('@') ?? []
  return parts.length === 2 ? parts[1] : undefined
}

function* names(values: readonly (() => string | undefined)[]): Generator<string> {
  const found = new Set<string>()
  for (const valueOf of values) {
    const name = valueOf()?.toLowerCase()
    if (name === undefined || name === '' || name.length > maxNameLength || found.has(name)) continue
    found.add(name)
    yield name
  }
}

/** The longest text that can be `<login>@<domain>`: a login of 64, `@`, and a domain of 253. */
const maxAccountLength = 318

/**
 * The account of a leg as `<login>@<domain>`, the domain in lower case. This is the one rule for lists, account states,
 * events, CDRs, recordings and `own` permissions:
 *
 * - A leg that a phone placed belongs to the user that the engine authenticated. Its presence id counts for nothing,
 *   because the engine copies it from the From header, which the phone chooses.
 * - A leg that the engine placed belongs to the user that was dialled. Once such a leg has run an application, its
 *   variable `dialed_user` may name the user that it went on to call. From then on its presence id decides, which the
 *   dial string of the service set when the leg was made.
 *
 * Returns an empty text when the leg has no account, and `undefined` when these fields do not say: small events and the
 * rows of `show channels` carry no variables.
 */
export function accountOfLeg(read: ReadField): string | undefined {
  const found = read('Call-Direction') === 'inbound' ? callersAccount(read) : calledAccount(read)
  return found ?? (read('variable_uuid') === undefined ? undefined : '')
}

/** Returns the account if it belongs to the leg's own domain; accounts of other tenants never count. */
export function accountIn(domain: string, account: string | undefined): string | undefined {
  return account !== undefined && account.endsWith(`@${domain}`) ? account : undefined
}

/** Returns whether two accounts are the same: logins are compared without regard to case. */
export function isSameAccount(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function callersAccount(read: ReadField): string | undefined {
  return account(read('variable_user_name'), read('variable_domain_name'))
}

function calledAccount(read: ReadField): string | undefined {
  const hasRun = read('variable_current_application') !== undefined || read('variable_last_app') !== undefined
  const dialled = hasRun ? undefined : account(read('variable_dialed_user'), read('variable_dialed_domain'))
  return dialled ?? account(...partsOf(read('Channel-Presence-ID') ?? read('variable_presence_id')))
}

function partsOf(presenceId = ''): [login: string | undefined, domain: string | undefined] {
  const [login, domain, more] = presenceId.split('@')
  return more === undefined ? [login, domain] : [undefined, undefined]
}

function account(login = '', domain = ''): string | undefined {
  if (login === '' || domain === '' || login.includes('@') || domain.includes('@')) return undefined
  const whole = `${login}@${domain.toLowerCase()}`
  return whole.length > maxAccountLength ? undefined : whole
}

const loopbackSource = 'mod_loopback'

/** The engine's name of the second half of a loopback pair (recorded: `loopback/9198-b`). */
const secondHalfName = /^loopback\/.*-b$/

/**
 * Returns whether a leg was created to be joined to another one, or is the second half of a loopback pair.
 * A leg that came in from outside never was, whatever its variables and its other leg say: a phone can choose its
 * channel's name (`X-FS-Channel-Name`) and replace another channel (`Replaces`). Nor was a leg that the service placed.
 */
export function isJoiningLeg(read: ReadField): boolean {
  if (isSecondHalf(read)) return true
  if (read('Call-Direction') === 'inbound' || isPlacedByService(read)) return false
  return read('Other-Type') === 'originator' || read('variable_originating_leg_uuid') !== undefined
}

/** Returns the id of the leg that a leg was created for; `undefined` for all other legs. */
export function originOfLeg(read: ReadField): string | undefined {
  if (!isJoiningLeg(read)) return undefined
  const origin = read('variable_originating_leg_uuid') ?? read('Other-Leg-Unique-ID')
  return origin === undefined ? undefined : callIdOf(origin)
}

/**
 * Returns whether the service placed the leg. Only its `originate` commands give a leg of the engine both of these
 * variables, and no client may set either.
 */
function isPlacedByService(read: ReadField): boolean {
  return read('variable_domain_name') !== undefined && read('variable_origination_uuid') !== undefined
}

/** The engine itself writes the source; a channel's name counts only if there is no source. */
function isSecondHalf(read: ReadField): boolean {
  const source = read('Caller-Source')
  if (source !== undefined && source !== loopbackSource) return false
  const half = read('variable_loopback_leg')
  return half === 'B' || (half === undefined && secondHalfName.test(read('Channel-Name') ?? ''))
}
