import { applyList } from '../requests/apply-list.ts'
import type { ListQuery } from '../requests/list-query.ts'
import type { BlacklistStore } from './blacklist-store.ts'

/** Lists the names of a domain's blacklists, sorted, by the rules that every list follows. */
export async function listBlacklists(blacklists: Pick<BlacklistStore, 'names'>, domain: string, query: ListQuery) {
  const lists = (await blacklists.names(domain)).map((name) => ({ name }))
  const { rows, headers } = applyList(lists, query, { id: ({ name }) => name, fields: ['name'] })
  return { data: rows.map(({ item }) => item), headers }
}
