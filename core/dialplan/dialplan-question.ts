import { lowerAscii } from '../access/resolve-domain.ts'
import { accountOfLeg } from '../channels/leg.ts'
import { shownName } from '../client-names/value-rules.ts'
import type { RoutedCall, RoutedCaller } from './call-plan.ts'
import type { CallSource } from './gateway-of-call.ts'

/** The context of calls that no account authenticated: those that come in at the SIP profile of gateways. */
export const publicContext = 'public'

/** A call that the engine asks about: of a domain, or of a stranger, who may be a gateway. */
export type DialplanQuestion =
  | { readonly call: RoutedCall }
  | { readonly call: Omit<RoutedCall, 'domain' | 'gateway'>; readonly source: CallSource }

/**
 * Reads the engine's question about a call (fixtures/freeswitch/xml-curl, `call-dialplan`): the context is the domain,
 * the caller's account is the one that the engine authenticated. The context `public` has the calls that were not
 * authenticated: what they say of themselves is only their source. `undefined` for a question that is not about a call.
 */
export function readDialplanQuestion(
  fields: Readonly<Record<string, string | undefined>>,
): DialplanQuestion | undefined {
  const given = (name: string) => fields[`Hunt-${name}`] ?? fields[`Caller-${name}`] ?? ''
  const [context, number] = [given('Context'), dialledNumber(given('Destination-Number'))]
  const isPublic = lowerAscii(context) === publicContext
  if (fields['section'] !== 'dialplan' || context === '' || (number === '' && !isPublic)) return undefined
  const variables = new Map<string, string>()
  for (const [name, value = ''] of Object.entries(fields)) {
    if (name.startsWith('variable_')) variables.set(name.slice('variable_'.length), value)
  }
  variables.set('destination_number', number)
  const from = dialledNumber(given('Caller-ID-Number'))
  variables.set('caller_id_number', from)
  variables.set('caller_id_name', given('Caller-ID-Name'))
  variables.set('network_addr', given('Network-Addr'))
  variables.set('context', context)
  if (isPublic) {
    return { call: { number, caller: { number: from }, variables }, source: sourceOf(variables) }
  }
  const caller = callerOf(fields, variables, context, given)
  variables.set('caller_id_number', caller.number)
  variables.set('caller_id_name', caller.nameToShow ?? given('Caller-ID-Name'))
  return { call: { domain: context, number, caller, variables } }
}

/** The caller is the account that the engine authenticated, whatever its phone sent; a route may have changed it. */
function callerOf(
  fields: Readonly<Record<string, string | undefined>>,
  variables: ReadonlyMap<string, string>,
  context: string,
  given: (name: string) => string,
): RoutedCaller {
  const login = authenticated(variables, context)
  const number = given('Caller-ID-Number')
  const isAsSent = ['Number', 'Name'].every((part) => given(`Caller-ID-${part}`) === given(`Orig-Caller-ID-${part}`))
  const name = variables.get('effective_caller_id_name')
  return {
    number: login !== undefined && isAsSent ? login : number,
    login,
    called: calledIn(context, fields),
    sent: number === login ? given('Orig-Caller-ID-Number') : number,
    ...(login !== undefined &&
      isAsSent && { nameToShow: name !== undefined && shownName.accepts(name, context) ? name : login }),
  }
}

/**
 * The account that a leg rang which the engine itself placed; a caller's own leg only names the accounts that it went
 * on to call.
 */
function calledIn(context: string, fields: Readonly<Record<string, string | undefined>>): string | undefined {
  if (fields['Call-Direction'] !== 'outbound') return undefined
  const [login, domain] = accountOfLeg((name) => fields[name])?.split('@') ?? []
  return isOf(context, domain) ? login : undefined
}

function sourceOf(variables: ReadonlyMap<string, string>): CallSource {
  return {
    gateway: variables.get('sip_gateway'),
    address: variables.get('sip_network_ip') ?? '',
    requestHost: variables.get('sip_req_host') ?? '',
    profile: variables.get('sofia_profile_name') ?? '',
  }
}

/** The login that the engine authenticated for a call that a phone placed in its own domain. */
function authenticated(variables: ReadonlyMap<string, string>, context: string): string | undefined {
  return isOf(context, variables.get('domain_name')) && variables.get('sip_authorized') === 'true'
    ? variables.get('user_name')
    : undefined
}

function isOf(context: string, domain = ''): boolean {
  return lowerAscii(domain) === lowerAscii(context)
}

/**
 * Returns the number of a dialled text: the user part of a SIP address up to its first `;`. Parameters follow there,
 * such as `phone-context=+49` and `user=phone`.
 */
export function dialledNumber(text: string): string {
  return text.split(';', 1)[0] ?? ''
}
