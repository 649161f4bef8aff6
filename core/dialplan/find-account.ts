import type { Account } from '../accounts/account.ts'
import type { AccountStore } from '../accounts/account-store.ts'

/** Returns the account of a login or number; `undefined` if the domain has none. */
export async function findAccount(
  accounts: Pick<AccountStore, 'read' | 'readByNumber'>,
  domain: string,
  name: string,
): Promise<Account | undefined> {
  return (await accounts.read(domain, name)) ?? (await accounts.readByNumber(domain, name))
}
