import { invalidField } from '../errors.ts'
import { applyList } from '../requests/apply-list.ts'
import { type ListQuery, readCursor, readWishes, writeCursor } from '../requests/list-query.ts'
import type { BlacklistStore } from './blacklist-store.ts'
import { presentEntry } from './present-entry.ts'

/** The query of a list's entries: that of every list, with `order` and `orderValue` instead of `sort`. */
export interface EntriesQuery extends ListQuery {
  readonly order?: string | undefined
  /** Ascending, which is the default, or descending. */
  readonly orderValue?: '1' | '-1' | undefined
}

const fields = ['_id', 'number', 'name', 'domain', 'expires', 'note'] as const
const defaultLimit = 40

/**
 * Returns a page of a blacklist's entries, by number unless the query says otherwise; a missing list has none. The
 * order of numbers is the store's own, so a page of a long list reads only that page; any other order reads the whole
 * list.
 */
export async function readBlacklist(
  blacklists: Pick<BlacklistStore, 'page' | 'entries'>,
  { domain, list }: { readonly domain: string; readonly list: string },
  query: EntriesQuery,
) {
  const wanted = { ...query, sort: sortOf(query) }
  const direction = numberOrder(wanted)
  if (direction !== undefined) return readByNumber(blacklists, { domain, list }, wanted, direction)
  const { rows, headers } = applyList((await blacklists.entries(domain, list)).map(presentEntry), wanted, {
    id: ({ number }) => number,
    fields,
    pagesAlways: true,
  })
  return { data: rows.map(({ item }) => item), headers }
}

async function readByNumber(
  blacklists: Pick<BlacklistStore, 'page'>,
  { domain, list }: { readonly domain: string; readonly list: string },
  query: ListQuery,
  direction: 1 | -1,
) {
  if (query.cursor !== undefined && query.page !== undefined) {
    throw invalidField('cursor', 'must not be given together with page')
  }
  const limit = query.limit ?? defaultLimit
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor).id
  const skip = ((query.page ?? 1) - 1) * limit
  const { entries, more } = await blacklists.page(domain, list, { after, skip, limit, direction })
  // The page is cut already: only the choice of columns remains.
  const { rows } = applyList(
    entries.map(presentEntry),
    { columns: query.columns, limit },
    { id: ({ number }) => number, fields },
  )
  const last = entries.at(-1)
  const headers: Record<string, string> = {}
  if (more && last !== undefined) {
    headers['X-Next-Cursor'] = writeCursor({ id: last.number, values: [last.number] })
  }
  return { data: rows.map(({ item }) => item), headers }
}

function sortOf({ order, orderValue, sort }: EntriesQuery): string | undefined {
  if (order === undefined && orderValue === undefined) return sort
  if (sort !== undefined) throw invalidField('order', 'must not be given together with sort')
  const field = order ?? 'number'
  if (!fields.some((name) => name === field)) throw invalidField('order', `must be one of ${fields.join(', ')}`)
  return JSON.stringify({ [field]: Number(orderValue ?? '1') })
}

function numberOrder(query: ListQuery): 1 | -1 | undefined {
  const { sort, filter } = readWishes(query, fields)
  const [first] = sort
  if (filter.length > 0) return undefined
  if (first === undefined) return 1
  // A number appears in a list once, so further sort keys have no effect.
  return first.field === 'number' ? first.direction : undefined
}
