import type { AccountStore } from './account-store.ts'
import { type AccountContext, findAccount } from './account-context.ts'
import { type AccountView, type ViewContext, accountView } from './account-detail.ts'

/** Returns an account's detail. Throws `permission_denied` and `not_found` as {@link findAccount} does. */
export async function readAccount(
  accounts: Pick<AccountStore, 'read'>,
  id: string,
  context: AccountContext & ViewContext,
): Promise<AccountView> {
  return accountView(await findAccount(accounts, context, id), context)
}
