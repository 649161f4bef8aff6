import { type PresenceStore, liveContacts } from '../accounts/presence.ts'
import { mapAtMost } from '../concurrency/semaphore.ts'
import { type KeyedPage, type ListPage, type ListRules, applyList, keyedPage } from '../requests/apply-list.ts'
import type { ListQuery } from '../requests/list-query.ts'
import type { Domain } from './domain.ts'
import type { DomainStore } from './domain-store.ts'

/** The ports of {@link listDomains}. */
export interface ListDomainsPorts {
  readonly domains: Pick<DomainStore, 'list' | 'read'>
  readonly presence: Pick<PresenceStore, 'list'>
}

/** A domain in the list. */
export interface DomainEntry {
  readonly id: string
  readonly domain: string
  /** Number of accounts. */
  readonly user: string
  /** Accounts and registered phones. */
  readonly 'acc/dvc': string
}

/** The requested domains; `domain` is the only one to show, `null` shows all. */
export interface DomainListQuery extends ListQuery {
  readonly customerId?: string | undefined
}

const rules: ListRules<DomainEntry> = { id: ({ id }) => id, fields: ['id', 'domain', 'user', 'acc/dvc'] }

/**
 * Returns the domains by name, each with its accounts and the phones registered at `now` (epoch milliseconds). Phones
 * are counted for the domains shown alone, unless the query sorts or filters by them.
 */
export async function listDomains(
  ports: ListDomainsPorts,
  query: DomainListQuery,
  { domain, now }: { readonly domain: string | null; readonly now: number },
): Promise<KeyedPage<DomainEntry>> {
  const domains = (await visible(ports, domain)).filter(
    ({ customerId }) => query.customerId === undefined || customerId === query.customerId,
  )
  const countsDecide = `${query.sort ?? ''}${query.filter ?? ''}`.includes('acc/dvc')
  const counted = countsDecide ? await entries(ports, domains, now) : domains.map((each) => entry(each, 0))
  const page = applyList(counted, query, rules)
  return keyedPage(countsDecide ? page : await withCounts(ports, domains, page, now))
}

async function visible({ domains }: ListDomainsPorts, name: string | null): Promise<Domain[]> {
  if (name === null) return domains.list()
  const own = await domains.read(name)
  return own === undefined ? [] : [own]
}

async function withCounts(
  ports: ListDomainsPorts,
  domains: readonly Domain[],
  page: ListPage<DomainEntry>,
  now: number,
): Promise<ListPage<DomainEntry>> {
  const wanted = new Set(page.rows.filter(({ item }) => item['acc/dvc'] !== undefined).map(({ id }) => id))
  const shown = domains.filter(({ name }) => wanted.has(name))
  const exact = new Map((await entries(ports, shown, now)).map((each) => [each.id, each['acc/dvc']]))
  const rows = page.rows.map(({ id, item }) => {
    const count = exact.get(id)
    return { id, item: count === undefined ? item : Object.assign({}, item, { 'acc/dvc': count }) }
  })
  return { rows, headers: page.headers }
}

const atOnce = 20

async function entries(ports: ListDomainsPorts, domains: readonly Domain[], now: number): Promise<DomainEntry[]> {
  return mapAtMost(domains, atOnce, async (each) => entry(each, await devices(ports, each.name, now)))
}

async function devices({ presence }: ListDomainsPorts, domain: string, now: number): Promise<number> {
  const presences = await presence.list(domain)
  return presences.reduce((sum, each) => sum + liveContacts(each, now), 0)
}

function entry({ name, accountCount }: Domain, deviceCount: number): DomainEntry {
  return { id: name, domain: name, user: String(accountCount), 'acc/dvc': `${accountCount}/${deviceCount}` }
}
