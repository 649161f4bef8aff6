import { type KeyedPage, applyList, keyedPage } from '../requests/apply-list.ts'
import type { ListQuery } from '../requests/list-query.ts'
import type { Account } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { type AccountState, type PresenceStore, accountState } from './presence.ts'
import type { AccountContext } from './account-context.ts'

/** The ports of {@link listAccounts}. */
export interface ListAccountsPorts {
  readonly accounts: Pick<AccountStore, 'list' | 'read'>
  readonly presence: Pick<PresenceStore, 'list'>
  readonly knownCalls: { readonly listOf: (domain: string) => Promise<readonly AccountLeg[]> }
}

/** What a stored leg says of its account. */
interface AccountLeg {
  /** `<login>@<domain>`; empty where it has no account. */
  readonly presenceId: string
  /** An account is busy while a leg of it is `up`. */
  readonly state: 'up' | 'ended'
}

/** An account in the list. */
export interface AccountEntry extends AccountState {
  readonly id: string
  readonly domain: string
  readonly scheme: 'account'
}

/**
 * Lists the accounts of a domain by id, each with the state of its phones and calls at `now` (epoch milliseconds). A
 * caller with permission for its own things only sees its own account. Ordered by login without regard to case.
 */
export async function listAccounts(
  ports: ListAccountsPorts,
  query: ListQuery,
  context: AccountContext & { readonly now: number },
): Promise<KeyedPage<AccountEntry>> {
  const [accounts, presences, calls] = await Promise.all([
    visible(ports, context),
    ports.presence.list(context.domain),
    ports.knownCalls.listOf(context.domain),
  ])
  const up = calls.filter(({ state }) => state === 'up')
  const busy = new Set(up.map(({ presenceId }) => presenceId.toLowerCase()))
  const presenceOf = new Map(presences.map((presence) => [presence.login.toLowerCase(), presence]))
  const entries = accounts.map(({ login, domain }): AccountEntry => {
    const name = { id: login, domain, scheme: 'account' } as const
    const isBusy = busy.has(`${login}@${domain}`.toLowerCase())
    return Object.assign(name, accountState(presenceOf.get(login.toLowerCase()), isBusy, context.now))
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
