import type { AccessScope } from '../access/acl.ts'
import { ownLogin } from '../access/own.ts'
import { permissionDenied } from '../access/permission.ts'
import type { Precondition } from '../concurrency/precondition.ts'
import { DomainError } from '../errors.ts'
import type { AccountStore } from './account-store.ts'
import type { Account } from './account.ts'
import type { Caller } from '../auth/token.ts'
import type { ClientVariables } from '../client-names/client-names.ts'
import type { Clock, Randomness } from '../ports.ts'

/** Who acts on the accounts of which domain, and how far. */
export interface AccountContext {
  readonly caller: Caller
  readonly domain: string
  readonly scope: AccessScope
}

/** What a change of accounts is made with besides its ports. */
export interface ChangeContext extends AccountContext {
  readonly requestId?: string | undefined
  readonly clock: Clock
  readonly random: Randomness
  /** What the request demands of the account that it changes. */
  readonly precondition: Precondition
  readonly passwordMinLength: number
  /** What the operator adds to the names that clients may set. */
  readonly clientVariables: ClientVariables
  /** The digest that the engine checks registrations with: lower-case hex of `md5(login:domain:password)`. */
  readonly a1Hash: (login: string, domain: string, password: string) => string
  /** Told of what could not be passed on after the change was made. */
  readonly reportUnsent: (what: string, error: unknown) => void
}

/** Whether a login is the caller's own. */
export function isOwn({ caller, domain }: AccountContext, login: string): boolean {
  return caller.domain === domain && ownLogin(caller)?.toLowerCase() === login.toLowerCase()
}

/**
 * The account of an id. With permission for his own things alone a caller is refused any other id, whether or not it
 * exists. Throws `not_found` where there is none.
 */
export async function findAccount(
  accounts: Pick<AccountStore, 'read'>,
  context: AccountContext,
  id: string,
): Promise<Account> {
  if (context.scope === 'own' && !isOwn(context, id)) throw permissionDenied()
  const account = /^[A-Za-z0-9._+-]{1,64}$/.test(id) ? await accounts.read(context.domain, id) : undefined
  if (account === undefined) throw noSuchAccount()
  return account
}

/** The refusal of an account that is not there. */
export function noSuchAccount(): DomainError {
  return new DomainError('not_found', 'Account not found')
}
