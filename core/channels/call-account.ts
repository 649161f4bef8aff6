import { ownLogin, permissionDenied } from '../access/permission.ts'
import { DomainError, invalidField } from '../errors.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { Account } from '../accounts/account.ts'
import type { Caller } from '../access/token.ts'

/** An account as a request names it: `<login>` or `<login>@<domain>`. */
export interface NamedAccount {
  readonly field: 'callerId' | 'user'
  /** The caller itself by default. */
  readonly name: string | undefined
}

/**
 * Returns the account that a request names, in its domain, and the caller's own if it names none. Root and domain
 * tokens have no account and must name one. Another domain is refused before anything is looked up.
 */
export async function readCallAccount(
  accounts: Pick<AccountStore, 'read'>,
  caller: Caller,
  domain: string,
  { field, name }: NamedAccount,
): Promise<Account> {
  const given = name ?? ownLogin(caller)
  if (given === undefined) {
    throw new DomainError('missing_field', `${field}: must be given, since you have no account in this domain`, {
      details: [{ field, problem: 'must be given' }],
    })
  }
  const [login = '', namedDomain] = given.split('@')
  if (namedDomain !== undefined && namedDomain.toLowerCase() !== domain) {
    throw permissionDenied('you may call accounts of your own domain only')
  }
  if (login === '') throw invalidField(field, 'must be "<login>" or "<login>@<domain>"')
  const account = await accounts.read(domain, login)
  if (account === undefined) throw new DomainError('not_found', `no account ${login} in ${domain}`)
  return account
}
