import type { SQLInputValue } from 'node:sqlite'
import { type Field, fieldOf, listedAs } from './field.ts'
import { globOf } from './wildcard.ts'
import { type JsonObject, checkNames, isObject, listOf, objectOf, onlyEntry } from './json.ts'
import { badRequest } from './refusal.ts'

/** A condition in SQL, and the values of its question marks in order. It is true, false or NULL, which is false. */
export interface Condition {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

const always: Condition = { sql: '1', values: [] }
const never: Condition = { sql: '0', values: [] }

/** Returns the condition of a query in OpenSearch's language; every clause that is not known here is refused. */
export function queryCondition(query: unknown, depth = 0): Condition {
  if (depth > maxDepth) throw badRequest(`a query may be ${maxDepth} clauses deep`, 'illegal_argument_exception')
  const [kind, body] = onlyEntry(query, 'query')
  const clause = clauses.get(kind)
  if (clause === undefined) throw badRequest(`unknown query [${kind}]`)
  return clause(body, depth)
}

const maxDepth = 30

type ReadClause = (body: unknown, depth: number) => Condition

const clauses: ReadonlyMap<string, ReadClause> = new Map<string, ReadClause>([
  ['match_all', () => always],
  ['match_none', () => never],
  ['bool', (body, depth) => boolCondition(objectOf(body, 'bool'), depth)],
  ['term', termCondition],
  ['terms', termsCondition],
  ['range', rangeCondition],
  ['prefix', prefixCondition],
  ['wildcard', wildcardCondition],
  ['exists', existsCondition],
])

/** Conditions that have all to hold. */
export function allOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? always : joined(conditions, ' AND ')
}

/** Conditions in one row of SQL; more are halved, since SQLite takes expressions of 1000 levels, and each adds one. */
const maxInRow = 100

function joined(conditions: readonly Condition[], operator: string): Condition {
  if (conditions.length > maxInRow) {
    const middle = Math.ceil(conditions.length / 2)
    const halves = [conditions.slice(0, middle), conditions.slice(middle)]
    return joined(
      halves.map((half) => joined(half, operator)),
      operator,
    )
  }
  return {
    sql: `(${conditions.map(({ sql }) => sql).join(operator)})`,
    values: conditions.flatMap(({ values }) => values),
  }
}

function boolCondition(body: JsonObject, depth: number): Condition {
  checkNames(body, ['filter', 'must', 'must_not', 'should', 'minimum_should_match'], 'bool')
  const of = (name: string): Condition[] => listOf(body[name]).map((clause) => queryCondition(clause, depth + 1))
  const must = [...of('filter'), ...of('must')]
  const mustNot = of('must_not').map(({ sql, values }) => ({ sql: `(${sql}) IS NOT TRUE`, values }))
  const should = of('should')
  const wanted = body['minimum_should_match'] ?? 0
  if (typeof wanted !== 'number') throw badRequest('[minimum_should_match] must be a number here')
  // If nothing else is required, one of them has to hold, whatever the minimum.
  const least = must.length === 0 && should.length > 0 ? Math.max(1, wanted) : wanted
  return allOf([...must, ...mustNot, ...leastOf(should, least)])
}

function leastOf(should: readonly Condition[], least: number): Condition[] {
  if (least <= 0) return []
  if (least > should.length) return [never]
  if (least === 1) return [joined(should, ' OR ')]
  const count = joined(
    should.map(({ sql, values }) => ({ sql: `((${sql}) IS TRUE)`, values })),
    ' + ',
  )
  return [{ sql: `${count.sql} >= ?`, values: [...count.values, least] }]
}

/** A clause on one field: `{ field: value }` or `{ field: { value } }`. */
function fieldClause(body: unknown, kind: string): { field: Field | undefined; value: unknown } {
  const [name, given] = onlyEntry(body, kind)
  const value = isObject(given) ? given['value'] : given
  if (isObject(given)) checkNames(given, ['value'], kind)
  if (value === undefined || value === null) throw badRequest(`[${kind}] has no value`, 'illegal_argument_exception')
  return { field: fieldOf(name), value }
}

function termCondition(body: unknown): Condition {
  const { field, value } = fieldClause(body, 'term')
  return field === undefined ? never : oneOf(field, [value])
}

function termsCondition(body: unknown): Condition {
  const [name, values] = onlyEntry(body, 'terms')
  if (!Array.isArray(values)) throw badRequest('[terms] takes an array')
  if (values.length > maxTerms) throw badRequest(`[terms] takes ${maxTerms} values`, 'illegal_argument_exception')
  const field = fieldOf(name)
  return field === undefined || values.length === 0 ? never : oneOf(field, values)
}

/** OpenSearch's default. */
const maxTerms = 65_536

function oneOf(field: Field, values: readonly unknown[]): Condition {
  const { column } = field
  const wanted = values.map((value) => valueOf(field, value))
  if (!field.isList) {
    // A statement takes 32 766 values.
    if (wanted.length > maxInRow) {
      return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(wanted)] }
    }
    return { sql: `${column} IN (${wanted.map(() => '?').join(', ')})`, values: wanted }
  }
  return joined(
    wanted.map((value) => ({ sql: `instr(${column}, ?) > 0`, values: [listedAs(String(value), 'whole')] })),
    ' OR ',
  )
}

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function rangeCondition(body: unknown): Condition {
  const [name, given] = onlyEntry(body, 'range')
  const range = objectOf(given, 'range')
  checkNames(range, ['gt', 'gte', 'lt', 'lte', 'format'], 'range')
  const field = fieldOf(name)
  if (range['format'] !== undefined && range['format'] !== 'epoch_millis')
    throw badRequest('[format] is not known here')
  if (field === undefined) return never
  const edges = Object.entries(operators).flatMap(([edge, operator]) => {
    const bound = range[edge]
    return bound === undefined || bound === null ? [] : [{ edge, operator, value: valueOf(field, bound) }]
  })
  if (!field.isList) {
    const there: Condition = { sql: `${field.column} IS NOT NULL`, values: [] }
    return allOf([
      ...(edges.length === 0 ? [there] : []),
      ...edges.map(({ operator, value }) => ({ sql: `${field.column} ${operator} ?`, values: [value] })),
    ])
  }
  const json = { numeric: isNumber(field), ...Object.fromEntries(edges.map(({ edge, value }) => [edge, value])) }
  return { sql: `list_range(${field.column}, ?)`, values: [JSON.stringify(json)] }
}

function prefixCondition(body: unknown): Condition {
  const { field, value } = fieldClause(body, 'prefix')
  if (field === undefined) return never
  const text = onlyText(field, value, 'prefix')
  if (field.isList) return { sql: `instr(${field.column}, ?) > 0`, values: [listedAs(text, 'prefix')] }
  return { sql: `substr(${field.column}, 1, ?) = ?`, values: [Array.from(text).length, text] }
}

function wildcardCondition(body: unknown): Condition {
  const { field, value } = fieldClause(body, 'wildcard')
  if (field === undefined) return never
  const pattern = onlyText(field, value, 'wildcard')
  // SQLite keeps a function's arguments in memory until the statement is over, so rows that SQLite can exclude itself
  // should not reach it.
  const rough = globOf(pattern, field.isList)
  const exact = `${field.isList ? 'list_wild' : 'wild'}(${field.column}, ?)`
  // A hundred long patterns take seconds for one row: the clock is looked at before each.
  const sql = `CASE WHEN tick(c.row) THEN CASE WHEN ${field.column} GLOB ? THEN ${exact} END END`
  return { sql, values: [rough, pattern] }
}

function existsCondition(body: unknown): Condition {
  const field = fieldOf(String(objectOf(body, 'exists')['field']))
  if (field === undefined) return never
  return { sql: field.isList ? `${field.column} <> ''` : `${field.column} IS NOT NULL`, values: [] }
}

function onlyText(field: Field, value: unknown, kind: string): string {
  if (field.type === 'keyword') return String(value)
  throw badRequest(
    `Can only use ${kind} queries on keyword, text and wildcard fields - not on [${field.name}] which is of type [${field.type}]`,
    'query_shard_exception',
  )
}

/** Returns whether the values of a field are numbers. */
export function isNumber(field: Field): boolean {
  return field.type !== 'keyword'
}

/** Returns a value as the field has it: of text fields the text, of numbers the number. */
export function valueOf(field: Field, value: unknown): string | number {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw badRequest(`[${field.name}] cannot be compared with that`, 'illegal_argument_exception')
  }
  if (!isNumber(field)) return String(value)
  const number = typeof value === 'boolean' || value === '' ? NaN : Number(value)
  if (Number.isNaN(number)) throw badRequest(`[${field.name}]: For input string: "${value}"`, 'number_format_exception')
  return number
}
