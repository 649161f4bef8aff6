import { DomainError } from '../errors.ts'

/** Channel variables of a call, by name. */
export type CallVariables = Readonly<Record<string, string>>

/** Names that clients may set although the engine gives them a meaning. */
const clientNames: ReadonlySet<string> = new Set([
  'default_language',
  'default_areacode',
  'effective_caller_id_name',
  'effective_caller_id_number',
  'outbound_caller_id_name',
  'outbound_caller_id_number',
  'directory_full_name',
  'callgroup',
  'toll_allow',
  'timezone',
  'call_timeout',
  'account_role',
])

/** Beginnings of names that the engine gives a meaning to: they run something, route calls or decide ownership. */
const engineNames =
  /^(?:api|exec|bridge|sip|sofia|rtp|rtcp|srtp|media|proxy|bypass|codec|absolute|origination|originate|domain|dialed|presence|user|w_|svc|record|recording|session|transfer|park|hold|hangup|inherit|import|export|nolocal|local|loopback|ignore|continue|fail|force|enable|disable|switch|socket|http|cdr|uuid|direction|context|caller|destination|zrtp|dtls|verto|eavesdrop|conference|fifo|tts|lua|js|system|spawn)/i

/**
 * The variables of a call, when clients may set all of them. The engine reads names without regard to case, so they
 * are judged without. Throws `invalid_field` that names each refused one.
 */
export function checkCallVariables(variables: CallVariables = {}): CallVariables {
  const refused = Object.keys(variables).filter((name) => !clientNames.has(name) && engineNames.test(name))
  const [first] = refused
  if (first === undefined) return variables
  const problem = 'is a name that the engine gives a meaning to: choose another'
  throw new DomainError('invalid_field', `variables.${first}: ${problem}`, {
    details: refused.map((name) => ({ field: `variables.${name}`, problem })),
  })
}
