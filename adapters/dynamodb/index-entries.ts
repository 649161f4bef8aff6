import { tables } from '../../contracts/resources.ts'
import type { AdapterContext } from '../context.ts'
import { READ_BATCH_ITEMS, readBatch } from './batches.ts'
import { type Item, type Key, type Page, type Query, queryPage, tableName } from './client.ts'
import { textOf } from './errors.ts'

/** A table that has an index. */
export type IndexedTable = {
  [T in keyof typeof tables]: (typeof tables)[T] extends { index: string } ? T : never
}[keyof typeof tables]

/** A query of a table's index by its keys, the only attributes that it holds. */
export type IndexQuery = Pick<
  Query,
  'KeyConditionExpression' | 'ExpressionAttributeValues' | 'ScanIndexForward' | 'Limit'
>

/** Returns one page of the entries of a table's index, which lags a moment: the keys of items and of their places. */
export function queryEntries(
  context: AdapterContext,
  table: IndexedTable,
  query: IndexQuery,
  start?: Item,
): Promise<Page> {
  return queryPage(context, { TableName: tableName(context, table), IndexName: tables[table].index, ...query }, start)
}

/**
 * Returns one page of the items that a query of a table's index finds, in the order of the index and read consistently.
 * Items that have left their place since are left out, so a page may have fewer items than its `count`.
 */
export async function queryIndexed(
  context: AdapterContext,
  table: IndexedTable,
  query: IndexQuery,
  start?: Item,
): Promise<Page> {
  const page = await queryEntries(context, table, query, start)
  const items: Item[] = []
  for (let first = 0; first < page.items.length; first += READ_BATCH_ITEMS) {
    const entries = page.items.slice(first, first + READ_BATCH_ITEMS)
    const found = await readBatch(context, tableName(context, table), entries.map(keyOf), {})
    const byPlace = new Map(found.map((item) => [placeOf(item), item]))
    for (const entry of entries) {
      const item = byPlace.get(placeOf(entry))
      if (item !== undefined) items.push(item)
    }
  }
  return { ...page, items }
}

function keyOf(entry: Item): Key {
  return { pk: textOf(entry, 'pk') ?? '', sk: textOf(entry, 'sk') ?? '' }
}

function placeOf(item: Item): string {
  return JSON.stringify(['pk', 'sk', 'gsi_pk', 'gsi_sk'].map((name) => item[name]))
}
