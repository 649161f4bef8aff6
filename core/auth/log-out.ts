import { permissionDenied } from '../access/permission.ts'
import type { TokenStore } from './token-store.ts'
import type { Caller } from './token.ts'
import { invalidToken } from './caller.ts'

/**
 * Ends the token that the caller presented, and no other. Throws `invalid_token` when it has ended meanwhile, and
 * `permission_denied` for the token of a domain, which its administrators end.
 */
export async function logOut(tokens: Pick<TokenStore, 'remove'>, caller: Caller): Promise<string> {
  if (caller.kind === 'domain-token') throw permissionDenied()
  if (!(await tokens.remove(caller.domain ?? '', caller.login, caller.tokenKey))) throw invalidToken()
  return 'Successful logout.'
}
