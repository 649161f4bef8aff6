import type { AccessScope } from '../access/acl.ts'
import { ownLogin, permissionDenied } from '../access/permission.ts'
import type { Precondition } from '../requests/precondition.ts'
import { DomainError } from '../errors.ts'
import type { AccountStore } from './account-store.ts'
import type { Account } from './account.ts'
import type { Caller } from '../access/token.ts'
import type { ClientVariables } from '../client-names/client-names.ts'
import type { Clock, Randomness } from '../time.ts'

/** The caller that acts on accounts, its domain and its scope. */
export interface AccountContext {
  readonly caller: Caller
  readonly domain: string
  readonly scope: AccessScope
}

/** The inputs of a change of accounts in addition to its ports. */
export interface ChangeContext extends AccountContext {
  readonly requestId?: string | undefined
  readonly clock: Clock
  readonly random: Randomness
  readonly precondition: Precondition
  readonly passwordMinLength: number
  readonly clientVariables: ClientVariables
  /** Returns the digest that the engine checks registrations with: lower-case hex of `md5(login:domain:password)`. */
  readonly a1Hash: (login: string, domain: string, password: string) => string
  readonly reportUnsent: (what: string, error: unknown) => void
}

/** Returns whether a login is the caller's own. */
export function isOwn({ caller, domain }: AccountContext, login: string): boolean {
  return caller.domain === domain && ownLogin(caller)?.toLowerCase() === login.toLowerCase()
}

/**
 * Returns the account of an id. A caller with permission for its own things only is refused any other id, whether or
 * not it exists. Throws `not_found` for an unknown id.
 */
export async function findAccount(
  accounts: Pick<AccountStore, 'read'>,
  context: AccountContext,
  id: string,
): Promise<Account> {
  if (context.scope === 'own' && !isOwn(context, id)) {
    throw permissionDenied('your role may use your own account only')
  }
  const account = /^[A-Za-z0-9._+-]{1,64}$/.test(id) ? await accounts.read(context.domain, id) : undefined
  if (account === undefined) throw noSuchAccount()
  return account
}

/** Returns the refusal of a missing account. */
export function noSuchAccount(): DomainError {
  return new DomainError('not_found', 'Account not found')
}
