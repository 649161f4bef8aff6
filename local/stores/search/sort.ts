import type { SQLInputValue } from 'node:sqlite'
import { type Field, fieldOf } from './field.ts'
import { checkNames, listOf, objectOf, onlyEntry } from './json.ts'
import { type Condition, isNumber, valueOf } from './query.ts'
import { badRequest } from './refusal.ts'

/** A key of the order of hits, in SQL. NULLs come last. */
export interface SortColumn {
  readonly field: Field
  readonly order: 'asc' | 'desc'
  readonly sql: string
  readonly isNullable: boolean
}

/** Returns the order of hits: `[{ field: { order, missing, unmapped_type } }]`. */
export function sortColumns(sort: unknown): SortColumn[] {
  return listOf(sort).map((key) => {
    const [name, given] = onlyEntry(key, 'sort')
    const about = objectOf(given, 'sort')
    checkNames(about, ['order', 'missing', 'unmapped_type'], 'sort')
    const { order, missing = '_last' } = about
    if (order !== 'asc' && order !== 'desc') throw badRequest('[order] must be asc or desc')
    const field = fieldOf(name)
    if (field === undefined)
      throw badRequest(`No mapping found for [${name}] in order to sort on`, 'query_shard_exception')
    const value = field.isList ? `list_end(${field.column}, '${listEnd(field, order)}')` : field.column
    if (missing === '_last') return { field, order, sql: value, isNullable: !field.isAlwaysThere }
    if (typeof missing !== 'number' || !isNumber(field)) throw badRequest('[missing] must be _last or a number')
    return { field, order, sql: `coalesce(${value}, ${missing})`, isNullable: false }
  })
}

function listEnd(field: Field, order: 'asc' | 'desc'): string {
  return JSON.stringify({ numeric: isNumber(field), order })
}

/** `ORDER BY` and what follows it; nothing where there is no order. */
export function orderSql(columns: readonly SortColumn[]): string {
  const keys = columns.map(({ sql, order, isNullable }) => `${sql} ${order}${isNullable ? ' NULLS LAST' : ''}`)
  return keys.length === 0 ? '' : `ORDER BY ${keys.join(', ')}`
}

/** Returns the condition for rows after a hit with these sort values. */
export function afterCondition(columns: readonly SortColumn[], after: readonly unknown[]): Condition {
  if (after.length !== columns.length) {
    throw badRequest('search_after must have as many values as sort', 'illegal_argument_exception')
  }
  const [condition] = columns
    .map((column, index) => ({ column, value: after[index] }))
    .reduceRight<Condition[]>(([rest], key) => [sortsAfter(key.column, key.value, rest)], [])
  return condition ?? { sql: '1', values: [] }
}

function sortsAfter(column: SortColumn, given: unknown, rest: Condition | undefined): Condition {
  const { sql, order, isNullable, field } = column
  const level = rest === undefined ? undefined : rest
  if (given === null || given === undefined) {
    if (!isNullable) throw badRequest('search_after has no value', 'illegal_argument_exception')
    return level === undefined
      ? { sql: '0', values: [] }
      : { sql: `(${sql} IS NULL AND ${level.sql})`, values: level.values }
  }
  const value: SQLInputValue = valueOf(field, given)
  const operator = order === 'asc' ? '>' : '<'
  const orNull = isNullable ? ` OR ${sql} IS NULL` : ''
  if (level === undefined) return { sql: `(${sql} ${operator} ?${orNull})`, values: [value] }
  // The first part is repeated so that an index can be used.
  const enter = isNullable ? '' : `${sql} ${operator}= ? AND `
  return {
    sql: `(${enter}(${sql} ${operator} ?${orNull} OR (${sql} = ? AND ${level.sql})))`,
    values: [...(isNullable ? [] : [value]), value, value, ...level.values],
  }
}
