import { aggregate, aggregationColumns, readAggregations } from './aggregate.ts'
import type { Database } from './database.ts'
import { TimeOver } from './functions.ts'
import { type ChosenIndices } from './index-names.ts'
import { type JsonObject, checkNames, countIn, isObject, listOf } from './json.ts'
import { type Condition, allOf, queryCondition } from './query.ts'
import { badRequest } from './refusal.ts'
import { type SortColumn, afterCondition, orderSql, sortColumns } from './sort.ts'
import { sourceText } from './source.ts'

const bodyNames = ['query', 'size', 'from', 'sort', 'search_after', 'aggs', '_source', 'track_total_hits', 'timeout']

const window = 10_000

interface Search {
  readonly where: Condition
  readonly size: number
  readonly from: number
  readonly sort: readonly SortColumn[]
  readonly after: Condition | undefined
  readonly aggs: unknown
  readonly source: unknown
  /** Up to which hits are counted. */
  readonly exact: number
}

/** Runs a search and returns its JSON. When its time is over, it ends with its results so far. */
export function search(database: Database, indices: ChosenIndices, body: JsonObject): string {
  const startedAt = performance.now()
  const asked = readSearch(indices, body)
  database.functions.setDeadline(startedAt + milliseconds(body['timeout']))
  let found: Found = { total: 0, isLeast: true, hits: [], aggregations: undefined }
  let isTimedOut = false
  try {
    found = find(database, asked)
  } catch (error) {
    if (!(error instanceof TimeOver)) throw error
    isTimedOut = true
  } finally {
    database.functions.setDeadline(Infinity)
  }
  const total = { value: found.total, relation: found.isLeast ? 'gte' : 'eq' }
  return [
    `{"took":${Math.round(performance.now() - startedAt)},"timed_out":${isTimedOut},`,
    `"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},`,
    `"hits":{"total":${JSON.stringify(total)},"max_score":null,"hits":[${found.hits.join(',')}]}`,
    found.aggregations === undefined ? '' : `,"aggregations":${JSON.stringify(found.aggregations)}`,
    '}',
  ].join('')
}

function readSearch(indices: ChosenIndices, body: JsonObject): Search {
  checkNames(body, bodyNames, 'search')
  const [size, from] = [countIn(body, 'size', 10), countIn(body, 'from', 0)]
  if (size + from > window) {
    throw badRequest(`Result window is too large, from + size must be less than or equal to: [${window}]`)
  }
  const sort = sortColumns(body['sort'])
  const after = body['search_after']
  if (after !== undefined && from > 0)
    throw badRequest('`from` parameter must be set to 0 when `search_after` is used.')
  return {
    where: allOf([inIndices(indices), ...listOf(body['query']).map((query) => queryCondition(query))]),
    size,
    from,
    sort,
    after: after === undefined ? undefined : afterCondition(sort, listOf(after)),
    aggs: body['aggs'],
    source: body['_source'],
    exact: countIn(body, 'track_total_hits', window),
  }
}

interface Found {
  readonly total: number
  readonly isLeast: boolean
  readonly hits: readonly string[]
  readonly aggregations: JsonObject | undefined
}

function find(database: Database, asked: Search): Found {
  const { where, exact, aggs } = asked
  const counting = `SELECT count(*) AS n FROM (SELECT 1 FROM ${tables(where.sql)} WHERE ${ticked(where.sql)} LIMIT ?)`
  const [counted] = database.all(counting, ...where.values, exact + 1)
  const count = Number(counted?.['n'])
  const hits = asked.size === 0 ? [] : findHits(database, asked)
  return {
    total: Math.min(count, exact),
    isLeast: count > exact,
    hits,
    aggregations: isObject(aggs) ? aggregated(database, asked.where, aggs) : undefined,
  }
}

function findHits(database: Database, { where, after, sort, size, from, source }: Search): string[] {
  const condition = allOf([where, ...(after === undefined ? [] : [after])])
  const keys = sort.map(({ sql }, index) => `${sql} AS k${index}`)
  const order = orderSql(sort)
  const chosen = `SELECT ${['c.row', ...keys].join(', ')} FROM ${tables(condition.sql + order + keys.join())}
    WHERE ${ticked(condition.sql)} ${order} LIMIT ? OFFSET ?`
  const rows = database.all(chosen, ...condition.values, size, from)
  const read = database.prepare(
    'SELECT c.id, i.name, b.source, b.hidden FROM c JOIN b USING (row) JOIN indices i ON i.id = c.index_id WHERE c.row = ?',
  )
  return rows.map((row) => {
    const document = read.get(Number(row['row'])) ?? {}
    const values = sort.map((_key, index) => row[`k${index}`] ?? null)
    const shown = source === false ? '' : `,"_source":${sourceText(document, source)}`
    const about = `"_index":${JSON.stringify(document['name'])},"_id":${JSON.stringify(document['id'])}`
    return `{${about},"_score":null${shown},"sort":${JSON.stringify(values)}}`
  })
}

function aggregated(database: Database, where: Condition, aggs: JsonObject): JsonObject {
  const collectors = readAggregations(aggs)
  const columns = aggregationColumns(collectors)
  const select = ['c.row', ...columns.map(({ sql }) => sql)].join(', ')
  const values = [...columns.flatMap((column) => column.values), ...where.values]
  const sql = `SELECT ${select} FROM ${tables(where.sql + select)} WHERE ${ticked(where.sql)}`
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  return aggregate(collectors, statement.iterate(...values))
}

function tables(sql: string): string {
  return /\bb\./.test(sql) ? 'c JOIN b USING (row)' : 'c'
}

/** The clock is looked at before anything else of a row. */
function ticked(sql: string): string {
  return `tick(c.row) AND ${sql}`
}

function inIndices(indices: ChosenIndices): Condition {
  if (indices === 'all') return { sql: '1', values: [] }
  return { sql: `c.index_id IN (${indices.map(() => '?').join(', ')})`, values: indices }
}

/** A span such as `9500ms` or `10s`; without one there is no limit. */
function milliseconds(value: unknown): number {
  if (value === undefined) return Infinity
  const match = /^(\d+)(ms|s|m)$/.exec(typeof value === 'string' ? value : '')
  if (match === null) throw badRequest('[timeout] must be a span of time', 'illegal_argument_exception')
  return Number(match[1]) * (match[2] === 'ms' ? 1 : match[2] === 's' ? 1000 : 60_000)
}
