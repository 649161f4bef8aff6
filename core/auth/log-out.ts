import { permissionDenied } from '../access/permission.ts'
import type { TokenStore } from './token-store.ts'
import type { Caller } from '../access/token.ts'
import { invalidToken } from './caller.ts'

/**
 * Ends only the token that the caller presented. Throws `invalid_token` when it has ended meanwhile, and
 * `permission_denied` for a domain token, which only the domain's administrators can end.
 */
export async function logOut(tokens: Pick<TokenStore, 'remove'>, caller: Caller): Promise<string> {
  if (caller.kind === 'domain-token')
    throw permissionDenied('a static token cannot end itself: delete it as an administrator of the domain')
  if (!(await tokens.remove(caller.domain ?? '', caller.login, caller.tokenKey))) throw invalidToken()
  return 'Successful logout.'
}
