import type { ReadField } from './leg-domain.ts'

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
