import { invalidField } from '../../errors.ts'
import { fieldTypeOf, plainFields, variablePrefix } from '../cdr-fields.ts'
import { didYouMean } from '../../requests/nearest.ts'
import type { SearchPlan, SortKey } from '../search-plan.ts'
import { fieldOf } from './field-conditions.ts'

const [defaultLimit, maxLimit, window] = [40, 1000, 10_000]

/** Reads `limit` and `pageNumber`. Throws `invalid_field`. */
export function readPage(body: ReadonlyMap<string, unknown>): Pick<SearchPlan, 'limit' | 'skip'> {
  const limit = body.has('limit') ? body.get('limit') : defaultLimit
  if (!isWhole(limit) || limit < 0 || limit > maxLimit) {
    throw invalidField('limit', `must be a whole number from 0 to ${maxLimit}`)
  }
  const page = body.has('pageNumber') ? body.get('pageNumber') : 1
  if (!isWhole(page) || page < 1) throw invalidField('pageNumber', 'must be a whole number from 1')
  if (limit * page > window) {
    throw invalidField('pageNumber', `limit × pageNumber must be at most ${window}: use scroll to go further`)
  }
  return { limit, skip: limit * (page - 1) }
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}

const maxKeys = 10

/** Reads `sort`; the newest first where it is absent. The last key is `uuid`. Throws `invalid_field`. */
export function readSort(value: unknown): readonly SortKey[] {
  const given = value ?? {}
  if (typeof given !== 'object' || Array.isArray(given)) throw invalidField('sort', 'must be an object')
  const entries = Object.entries(given)
  if (entries.length > maxKeys) throw invalidField('sort', `must have at most ${maxKeys} fields`)
  const keys = entries.flatMap(([name, wanted]: [string, unknown]) => readKey(name, wanted))
  const sort: SortKey[] = entries.length === 0 ? [{ field: 'created_time', order: 'desc' }] : keys
  return sort.some(({ field }) => field === 'uuid') ? sort : [...sort, { field: 'uuid', order: 'asc' }]
}

/** Returns no key for an unknown field, which orders nothing and must be marked as such. */
function readKey(name: string, wanted: unknown): readonly SortKey[] {
  const at = `sort.${name}`
  const { name: field } = fieldOf(name, at)
  const members = new Map(Object.entries(typeof wanted === 'string' ? { order: wanted } : wantedOrder(wanted, at)))
  const unknown = [...members.keys()].find((member) => !['order', 'unmapped_type', 'missing'].includes(member))
  if (unknown !== undefined)
    throw invalidField(`${at}.${unknown}`, 'is not offered; offered are order and unmapped_type')
  const order = members.get('order') ?? 'asc'
  if (order !== 'asc' && order !== 'desc') throw invalidField(`${at}.order`, 'must be asc or desc')
  const missing = members.get('missing') ?? '_last'
  if (missing !== '_last') throw invalidField(`${at}.missing`, 'must be _last')
  const type = fieldTypeOf(field)
  if (field.startsWith(variablePrefix) || field.startsWith('recordings.')) {
    throw invalidField(at, 'CDRs cannot be ordered by variables and recordings')
  }
  if (type !== undefined) return [{ field, order }]
  if (members.has('unmapped_type')) return []
  throw invalidField(at, `is no field of CDRs${didYouMean(field, plainFields)}`)
}

function wantedOrder(value: unknown, at: string): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalidField(at, 'must be an object such as {"order": "desc"}')
}

const otherColumns: ReadonlySet<string> = new Set(['_id', 'recordings'])

/** The contract reserves these groups of fields: no CDR has a value for them yet. */
const reservedColumn = /^(?:queue|locations)\.[A-Za-z0-9_.-]+$/

function isColumn(name: string): boolean {
  return fieldTypeOf(name) !== undefined || otherColumns.has(name) || reservedColumn.test(name)
}

const [maxColumns, maxName] = [100, 256]

/** Reads `columns`: the names without duplicates; `undefined` by default. Throws `invalid_field`. */
export function readColumns(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value) || value.length === 0 || value.length > maxColumns) {
    throw invalidField('columns', `must be a list of 1 to ${maxColumns} names`)
  }
  const names = value.map((name: unknown, index) => readColumn(name, `columns[${index}]`))
  return [...new Set(names)]
}

function readColumn(name: unknown, at: string): string {
  if (typeof name !== 'string' || name === '' || name.length > maxName) {
    throw invalidField(at, `must be a name of 1 to ${maxName} characters`)
  }
  if (name.startsWith('_') && name !== '_id') throw invalidField(at, 'columns that begin with _ are not offered')
  if (!isColumn(name)) {
    throw invalidField(
      at,
      `"${name}" is no field of a CDR${didYouMean(name, plainFields) || '; channel variables are variables.<name>'}`,
    )
  }
  return name
}
