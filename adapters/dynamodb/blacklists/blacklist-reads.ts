import type { BlacklistEntry } from '../../../core/blacklists/blacklist-entry.ts'
import type { BlacklistPage } from '../../../core/blacklists/blacklist-store.ts'
import type { AdapterContext } from '../../context.ts'
import type { Item } from '../client.ts'
import {
  type StoredList,
  entryItem,
  entryKey,
  entryPartition,
  listItem,
  listKey,
  listPartition,
} from './blacklist-item.ts'
import { type Key, type Query, getItem, queryAll, queryPage, tableName } from '../client.ts'
import { parseItem, under } from '../items.ts'
import { joinKey } from '../key.ts'

/** More than a page of the store holds of the smallest entries. */
const ITEMS_AT_ONCE = 10_000

/** Returns a list's item, also of a list whose entries have all ended. */
export async function readList(context: AdapterContext, domain: string, list: string): Promise<StoredList | undefined> {
  return parseItem(listItem, await get(context, listKey(domain, list)))
}

/** Reads the item of every blacklist of a domain. */
export async function readLists(context: AdapterContext, domain: string): Promise<StoredList[]> {
  const items = await queryAll(context, {
    TableName: tableName(context, 'blacklists'),
    ConsistentRead: true,
    ...under(listPartition(domain)),
  })
  return items.flatMap((item) => parseItem(listItem, item) ?? [])
}

/** Returns a stored entry, also one whose time is over. */
export async function readStored(
  context: AdapterContext,
  domain: string,
  generation: string,
  number: string,
): Promise<BlacklistEntry | undefined> {
  return parseItem(entryItem, await get(context, entryKey(domain, generation, number)))
}

/** Returns whether an entry has not expired. */
export function isLive({ expires }: Pick<BlacklistEntry, 'expires'>, now: number): boolean {
  return expires === undefined || expires > now
}

/** Returns whether a blacklist has an unexpired entry. Its counts say so, except if all its entries have an expiry. */
export async function isListLive(context: AdapterContext, domain: string, list: StoredList): Promise<boolean> {
  if (list.entries > list.ending) return true
  if (list.latestEnd <= context.clock.now()) return false
  const { entries } = await readPage(context, domain, list, { skip: 0, limit: 1, direction: 1 })
  return entries.length > 0
}

/** Entries of a list by number; see the port. Pages of the store that hold too few live ones are followed by others. */
export async function readPage(
  context: AdapterContext,
  domain: string,
  { generation }: Pick<StoredList, 'generation'>,
  { after, skip, limit, direction }: BlacklistPage,
): Promise<{ entries: BlacklistEntry[]; more: boolean }> {
  const pk = entryPartition(domain, generation)
  const wanted = skip + limit + 1
  let seen = 0
  const entries: BlacklistEntry[] = []
  let start: Item | undefined = after === undefined ? undefined : { pk, sk: joinKey(after) }
  do {
    const query = {
      ...liveEntries(context, pk),
      ScanIndexForward: direction === 1,
      Limit: Math.min(wanted - seen, ITEMS_AT_ONCE),
    }
    const { items, next } = await queryPage(context, query, start)
    entries.push(...items.slice(Math.max(0, skip - seen)).flatMap((item) => parseItem(entryItem, item) ?? []))
    seen += items.length
    start = next
  } while (start !== undefined && seen < wanted)
  return { entries: entries.slice(0, limit), more: entries.length > limit }
}

/** Reads every unexpired entry of a blacklist by number. */
export async function readEntries(
  context: AdapterContext,
  domain: string,
  { generation }: Pick<StoredList, 'generation'>,
): Promise<BlacklistEntry[]> {
  const items = await queryAll(context, liveEntries(context, entryPartition(domain, generation)))
  return items.flatMap((item) => parseItem(entryItem, item) ?? [])
}

/** Counts the entries of a list that have not expired. */
export async function countLive(context: AdapterContext, domain: string, list: StoredList): Promise<number> {
  if (list.ending === 0) return list.entries
  const query = { ...liveEntries(context, entryPartition(domain, list.generation)), Select: 'COUNT' } as const
  let live = 0
  let start: Item | undefined
  do {
    const { count, next } = await queryPage(context, query, start)
    live += count
    start = next
  } while (start !== undefined)
  return live
}

/** Reads expired entries of a blacklist, `limit` at most. */
export async function readEnded(
  context: AdapterContext,
  domain: string,
  { generation }: Pick<StoredList, 'generation'>,
  limit: number,
): Promise<BlacklistEntry[]> {
  const query = entriesWhere(context, entryPartition(domain, generation), 'expires <= :now')
  const ended: BlacklistEntry[] = []
  let start: Item | undefined
  do {
    const { items, next } = await queryPage(context, query, start)
    ended.push(...items.flatMap((item) => parseItem(entryItem, item) ?? []))
    start = next
  } while (start !== undefined && ended.length < limit)
  return ended.slice(0, limit)
}

function liveEntries(context: AdapterContext, pk: string): Query {
  return entriesWhere(context, pk, 'attribute_not_exists(expires) OR expires > :now')
}

function entriesWhere(context: AdapterContext, pk: string, FilterExpression: string): Query {
  const { KeyConditionExpression, ExpressionAttributeValues } = under(pk)
  return {
    TableName: tableName(context, 'blacklists'),
    ConsistentRead: true,
    KeyConditionExpression,
    FilterExpression,
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ':now': context.clock.now() },
  }
}

function get(context: AdapterContext, key: Key): Promise<Item | undefined> {
  return getItem(context, tableName(context, 'blacklists'), key)
}
