import { dialStringOf } from './dial-string.ts'

/**
 * Engines that keep directory answers register phones under the full names of their accounts: `1000=acme.example.com`
 * instead of `1000`. An engine takes the host of a registration from the phone's To header and compares it with
 * nothing, so under its login alone a phone could be registered as the account of that name in any domain. No login
 * contains the separator.
 */
const separator = '='

/** Returns the name that an account's phones are registered under. */
export function registeredName({ login, domain }: { readonly login: string; readonly domain: string }): string {
  return `${login}${separator}${domain}`
}

/** Returns the login in the name that a phone is registered under, which may be a plain login. */
export function loginOfRegistration(name: string): string {
  return name.split(separator, 1)[0] ?? ''
}

/** How the engine reaches phones that are registered under full names. */
export const fullNameDialString = dialStringOf('${dialed_user}=${dialed_domain}')
