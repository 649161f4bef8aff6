import { invalidField } from '../errors.ts'
import {
  type ListPosition,
  type ListQuery,
  type ListValue,
  type ListWishes,
  orderedBy,
  readCursor,
  readWishes,
  writeCursor,
} from './list-query.ts'

/** The rules of one kind of list: identity, order and paging of its items. */
export interface ListRules<T extends object> {
  readonly id: (item: T) => string
  /** The names that `columns`, `sort` and `filter` may use. */
  readonly fields: readonly (keyof T & string)[]
  /** The key that the items already ascend in, by code unit; the id where not given. */
  readonly order?: (item: T) => string
  /**
   * The most weight of a page's items; `shown` is an item with the requested columns. The page ends before the first
   * item that exceeds it, and has at least one.
   */
  readonly weight?: { readonly of: (item: T, shown: Partial<T>) => number; readonly most: number }
  /** Whether the list always pages; by default it gives all items, up to 4 000, until `limit` or `page` is used. */
  readonly pagesAlways?: boolean
}

/** One page of a list. */
export interface ListPage<T extends object> {
  /** The items with the requested columns. Use ids, not columns, as keys: a column may be left out. */
  readonly rows: readonly { readonly id: string; readonly item: Partial<T> }[]
  /** `X-Next-Cursor` when there is more, and `X-Truncated` when the page was cut unasked or for its weight. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The items of a page by their ids, and the ids in the order of the page: members of an object that are numbers come
 * first.
 */
export interface KeyedPage<T extends object> {
  readonly data: Readonly<Record<string, Partial<T>>>
  readonly order: readonly string[]
  readonly headers: Readonly<Record<string, string>>
}

/** Returns a page with its items by their ids. */
export function keyedPage<T extends object>({ rows, headers }: ListPage<T>): KeyedPage<T> {
  return { data: Object.fromEntries(rows.map(({ id, item }) => [id, item])), order: rows.map(({ id }) => id), headers }
}

const defaultLimit = 40
const maxUnpaged = 4_000

/**
 * Filters, sorts and cuts a list by the contract's rules on lists. Text matches a filter by prefix, anything else by
 * equality. Text is ordered by its first 128 characters, and equal items by their ids. A cursor continues after the
 * last item of its page, even if that item has been removed. Throws `invalid_field` for an invalid query.
 */
export function applyList<T extends object>(items: readonly T[], query: ListQuery, rules: ListRules<T>): ListPage<T> {
  const wishes = readWishes(query, rules.fields)
  const found = sorted(
    items.filter((item) => wishes.filter.every(({ field, value }) => matches(valueOf(item, field), value))),
    wishes,
    rules,
  )
  const { start, limit, isAsked } = pageOf(found, query, wishes, rules)
  const wanted = found.slice(start, start + limit)
  const shown = wanted.map((item) => cut(item, wishes.columns))
  const page = wanted.slice(0, bearable(wanted, shown, rules))
  const last = page.at(-1)
  const headers: Record<string, string> = {}
  if (last !== undefined && start + page.length < found.length) {
    headers['X-Next-Cursor'] = writeCursor(positionOf(last, wishes, rules))
    if (!isAsked || page.length < wanted.length) headers['X-Truncated'] = 'true'
  }
  return { rows: page.map((item, index) => ({ id: rules.id(item), item: shown[index] ?? item })), headers }
}

function bearable<T extends object>(
  items: readonly T[],
  shown: readonly Partial<T>[],
  { weight }: ListRules<T>,
): number {
  if (weight === undefined) return items.length
  let sum = 0
  const tooMuch = items.findIndex((item, index) => (sum += weight.of(item, shown[index] ?? item)) > weight.most)
  return tooMuch < 0 ? items.length : Math.max(1, tooMuch)
}

function pageOf<T extends object>(found: readonly T[], query: ListQuery, wishes: ListWishes, rules: ListRules<T>) {
  const isAsked = query.limit !== undefined || query.page !== undefined || rules.pagesAlways === true
  const limit = query.limit ?? (isAsked ? defaultLimit : maxUnpaged)
  if (query.cursor === undefined) return { start: ((query.page ?? 1) - 1) * limit, limit, isAsked }
  if (query.page !== undefined) throw invalidField('cursor', 'must not be given together with page')
  return { start: startAfter(readCursor(query.cursor), found, wishes, rules), limit, isAsked }
}

function startAfter<T extends object>(
  position: ListPosition,
  found: readonly T[],
  wishes: ListWishes,
  rules: ListRules<T>,
): number {
  const known = found.findIndex((item) => rules.id(item) === position.id)
  if (known >= 0) return known + 1
  const next = found.findIndex((item) => comparePositions(positionOf(item, wishes, rules), position, wishes) > 0)
  return next >= 0 ? next : found.length
}

function sorted<T extends object>(items: readonly T[], wishes: ListWishes, rules: ListRules<T>): readonly T[] {
  if (wishes.sort.length === 0) return items
  return items
    .map((item) => ({ item, position: positionOf(item, wishes, rules) }))
    .sort((a, b) => comparePositions(a.position, b.position, wishes))
    .map(({ item }) => item)
}

function positionOf<T extends object>(item: T, wishes: ListWishes, rules: ListRules<T>): ListPosition {
  const id = rules.id(item)
  if (wishes.sort.length === 0) return { id, values: [rules.order?.(item) ?? id] }
  return { id, values: wishes.sort.map(({ field }) => orderedBy(valueOf(item, field))) }
}

function comparePositions(a: ListPosition, b: ListPosition, { sort }: ListWishes): number {
  for (const [index, value] of a.values.entries()) {
    const order = compareValues(value, b.values[index] ?? null) * (sort[index]?.direction ?? 1)
    if (order !== 0) return order
  }
  return compareValues(a.id, b.id)
}

const kinds = ['object', 'boolean', 'number', 'string']

/** Null before booleans before numbers before text, each kind in its own order. */
function compareValues(a: ListValue, b: ListValue): number {
  const kind = kinds.indexOf(typeof a) - kinds.indexOf(typeof b)
  if (kind !== 0 || a === b || a === null || b === null) return kind
  return a < b ? -1 : 1
}

function matches(value: ListValue, wanted: ListValue): boolean {
  return typeof wanted === 'string' && typeof value === 'string' ? value.startsWith(wanted) : value === wanted
}

/** Returns a field's value; absent values, lists and objects count as null. */
function valueOf(item: object, field: string): ListValue {
  const value: unknown = Object.hasOwn(item, field) ? Reflect.get(item, field) : null
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

function cut<T extends object>(item: T, columns: readonly string[] | undefined): Partial<T> {
  if (columns === undefined) return item
  const kept: Partial<T> = {}
  for (const name of columns) if (isKey(item, name)) kept[name] = item[name]
  return kept
}

function isKey<T extends object>(item: T, name: string): name is keyof T & string {
  return Object.hasOwn(item, name)
}
