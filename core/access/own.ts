import type { Caller } from './token.ts'

/** Returns the login of the caller's own account; root and domain tokens have none. */
export function ownLogin(caller: Pick<Caller, 'kind' | 'domain' | 'login'>): string | undefined {
  return caller.kind === 'user' && caller.domain !== null ? caller.login : undefined
}

/**
 * Returns the presence id that identifies the caller's own calls, CDRs and recordings. A domain token owns none: its
 * value contains a character that no presence id of an account has, so that it never matches.
 */
export function ownPresenceId({ kind, username }: Pick<Caller, 'kind' | 'username'>): string {
  return kind === 'user' ? username : `token:${username}`
}
