import type { Caller } from '../auth/token.ts'

/** The login of the caller's own account; root and the token of a domain have none. */
export function ownLogin(caller: Pick<Caller, 'kind' | 'domain' | 'login'>): string | undefined {
  return caller.kind === 'user' && caller.domain !== null ? caller.login : undefined
}

/**
 * The presence id by which the caller's own calls, CDRs and recordings are told. The token of a domain owns none: what
 * stands for it here holds a character that no presence id of an account has, so that it equals none.
 */
export function ownPresenceId({ kind, username }: Pick<Caller, 'kind' | 'username'>): string {
  return kind === 'user' ? username : `token:${username}`
}
