/** Variables that clients may set although the engine gives them a meaning. */
const clientVariables: ReadonlySet<string> = new Set([
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
const engineVariables =
  /^(?:api|exec|bridge|sip|sofia|rtp|rtcp|srtp|media|proxy|bypass|codec|absolute|origination|originate|domain|dialed|presence|user|w_|svc|record|recording|session|transfer|park|hold|hangup|inherit|import|export|nolocal|local|loopback|ignore|continue|fail|force|enable|disable|switch|socket|http|cdr|uuid|direction|context|caller|destination|zrtp|dtls|verto|eavesdrop|conference|fifo|tts|lua|js|system|spawn|process_cdr|__proto__)/i

/** Whether clients may set a channel variable of this name. The engine reads names without regard to case. */
export function isClientVariable(name: string): boolean {
  return clientVariables.has(name) || !engineVariables.test(name)
}

const clientParameters =
  /^(?:password|role|svc-extensions|cc-agent|cc-agent-type|cc-agent-contact|cc-agent-max-no-answer|vm-.+|x-.+)$/

/**
 * Voicemail settings that clients may not set although they begin with `vm-`: one runs a command, two choose
 * directories of the host, one copies messages into any mailbox, and one is where the service keeps the hashed PIN.
 */
const engineParameters = /^vm-(?:convert-cmd|convert-ext|storage-dir|domain-storage-dir|cc|a1-hash)$/i

/** Whether clients may set a directory parameter of this name. */
export function isClientParameter(name: string): boolean {
  return clientParameters.test(name) && !engineParameters.test(name)
}
