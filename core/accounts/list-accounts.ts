import { type KeyedPage, applyList, keyedPage } from '../lists/apply-list.ts'
import type { ListQuery } from '../lists/list-query.ts'
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'
import type { PresenceStore } from './presence-store.ts'
import type { AccountContext } from './account-context.ts'
import { type AccountState, accountState } from './account-state.ts'

/** The ports of {@link listAccounts}. */
export interface ListAccountsPorts {
  readonly accounts: Pick<AccountStore, 'list' | 'read'>
  readonly presence: Pick<PresenceStore, 'list'>
}

/** An account in the list. */
export interface AccountEntry extends AccountState {
  readonly id: string
  readonly domain: string
  readonly scheme: 'account'
}

/**
 * Lists the accounts of a domain by id, each with the state of its phones at `now` (epoch milliseconds). A caller with
 * permission for its own things only sees its own account. Ordered by login without regard to case.
 */
export async function listAccounts(
  ports: ListAccountsPorts,
  query: ListQuery,
  context: AccountContext & { readonly now: number },
): Promise<KeyedPage<AccountEntry>> {
  const [accounts, presences] = await Promise.all([visible(ports, context), ports.presence.list(context.domain)])
  const presenceOf = new Map(presences.map((presence) => [presence.login.toLowerCase(), presence]))
  const entries = accounts.map(({ login, domain }): AccountEntry => {
    const name = { id: login, domain, scheme: 'account' } as const
    return Object.assign(name, accountState(presenceOf.get(login.toLowerCase()), context.now))
  })
  const page = applyList(entries, query, {
    id: ({ id }) => id,
    fields: ['id', 'domain', 'scheme', 'online', 'state', 'refused'],
    order: ({ id }) => id.toLowerCase(),
  })
  return keyedPage(page)
}

async function visible({ accounts }: ListAccountsPorts, { scope, domain, caller }: AccountContext): Promise<Account[]> {
  if (scope === 'all') return accounts.list(domain)
  const own = await accounts.read(domain, caller.login)
  return own === undefined ? [] : [own]
}
