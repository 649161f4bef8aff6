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
])

/**
 * Beginnings of names that the engine gives a meaning to: they run something, route calls or decide ownership. The list
 * of the contract.
 */
const engineVariables =
  /^(?:api|exec|bridge|sip|sofia|rtp|rtcp|srtp|media|proxy|bypass|codec|absolute|origination|originate|domain|dialed|presence|user|w_|svc|record|recording|session|transfer|park|hold|hangup|inherit|import|export|nolocal|local|loopback|ignore|continue|fail|force|enable|disable|switch|socket|http|cdr|uuid|direction|context|caller|destination|zrtp|dtls|verto|eavesdrop|conference|fifo|tts|lua|js|system|spawn)/i

/**
 * Further ones that do what the contract keeps for the service: run an application when the called phone answers
 * (`group_confirm_key=exec`), send a waiting call to any context (`campon_fallback_context`), open a mailbox without its
 * PIN (`voicemail_authorized`), play any file of the host to the caller, hide a call, or tell another role.
 */
const heldVariables =
  /^(?:group_confirm|campon|voicemail|vm_|ringback|instant_ringback|temp_hold_music|sound_prefix|process_cdr|account_role|__proto__)/i

/**
 * Whether clients may set a channel variable of this name. The engine reads names without regard to case. An account's
 * role is no such variable, although an update may write it as `account_role`.
 */
export function isClientVariable(name: string): boolean {
  return clientVariables.has(name) || !(engineVariables.test(name) || heldVariables.test(name))
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
