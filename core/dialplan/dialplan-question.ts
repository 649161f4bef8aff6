import { lowerAscii } from '../access/resolve-domain.ts'
import type { RoutedCall } from './call-plan.ts'

/**
 * Reads the engine's question about a call (fixtures/freeswitch/xml-curl, `call-dialplan`): the context is the domain, the
 * caller's account is the one that the engine authenticated. `undefined` for a question that is not about a call of a
 * domain: the context `public` has the calls that were not authenticated.
 */
export function readDialplanQuestion(fields: Readonly<Record<string, string | undefined>>): RoutedCall | undefined {
  const given = (name: string) => fields[`Hunt-${name}`] ?? fields[`Caller-${name}`] ?? ''
  const [context, number] = [given('Context'), given('Destination-Number')]
  if (fields['section'] !== 'dialplan' || context === '' || number === '') return undefined
  if (context.toLowerCase() === 'public') return undefined
  const variables = new Map<string, string>()
  for (const [name, value = ''] of Object.entries(fields)) {
    if (name.startsWith('variable_')) variables.set(name.slice('variable_'.length), value)
  }
  variables.set('destination_number', number)
  variables.set('caller_id_number', given('Caller-ID-Number'))
  variables.set('caller_id_name', given('Caller-ID-Name'))
  variables.set('network_addr', given('Network-Addr'))
  variables.set('context', context)
  return {
    domain: context,
    number,
    caller: { number: given('Caller-ID-Number'), login: authenticated(variables, context) },
    variables,
  }
}

/** The login that the engine authenticated for a call that a phone placed in its own domain. */
function authenticated(variables: ReadonlyMap<string, string>, context: string): string | undefined {
  const isOwn = lowerAscii(variables.get('domain_name') ?? '') === lowerAscii(context)
  return isOwn && variables.get('sip_authorized') === 'true' ? variables.get('user_name') : undefined
}
