import type { SQLInputValue } from 'node:sqlite'
import type { Database } from './database.ts'
import { type Field, columnFields, listColumn, listFields, valueList } from './field.ts'
import { fits, noSuchIndex } from './index-names.ts'
import { type JsonObject, isObject, listOf, objectOf, onlyEntry, parseJson, textIn } from './json.ts'
import { valueOf } from './query.ts'
import { Refusal, badRequest } from './refusal.ts'
import { hiddenNames, sourceText } from './source.ts'

const maxLines = 20_000

/** `_bulk`: lines of JSON, each action followed by its document. All of it is on the disk when it is answered. */
export function bulk(database: Database, text: string): JsonObject {
  const lines = text.split('\n')
  if (lines.pop() !== '') throw badRequest('The bulk request must be terminated by a newline [\\n]')
  if (lines.length > maxLines) throw badRequest('too many lines', 'illegal_argument_exception')
  const items = database.transaction(() => {
    const results: JsonObject[] = []
    for (let at = 0; at < lines.length; at += 2) results.push(bulkItem(database, lines[at] ?? '', lines[at + 1] ?? ''))
    return results
  })
  return { took: 0, errors: items.some((item) => JSON.stringify(item).includes('"error"')), items }
}

function bulkItem(database: Database, actionLine: string, documentLine: string): JsonObject {
  const [action, about] = onlyEntry(parseJson(actionLine), 'action')
  if (action !== 'create' && action !== 'index') throw badRequest(`the action [${action}] is not known here`)
  const target = objectOf(about, action)
  const [_index, _id] = [textIn(target, '_index'), textIn(target, '_id')]
  try {
    if (target['routing'] === undefined) throw new Refusal(400, 'routing_missing_exception', 'routing is required')
    const result = write(database, action, target, objectOf(parseJson(documentLine), 'document'))
    return { [action]: { _index, _id, ...result } }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { type, message: reason, status } = error
    return { [action]: { _index, _id, status, error: { type, reason } } }
  }
}

function write(database: Database, action: 'create' | 'index', target: JsonObject, document: JsonObject): JsonObject {
  const [index, id] = [textIn(target, '_index'), textIn(target, '_id')]
  const index_id = database.indices.get(index) ?? makeIndex(database, index)
  const [known] = database.all('SELECT row, seq_no FROM c WHERE index_id = ? AND id = ?', index_id, id)
  const wanted = target['if_seq_no']
  if ((action === 'create' && known !== undefined) || (wanted !== undefined && wanted !== known?.['seq_no'])) {
    throw new Refusal(409, 'version_conflict_engine_exception', `[${id}]: version conflict`)
  }
  const row = known === undefined ? undefined : Number(known['row'])
  const seq_no = insert(database, { index_id, id, row, document })
  return {
    result: row === undefined ? 'created' : 'updated',
    _seq_no: seq_no,
    _primary_term: 1,
    status: row ? 200 : 201,
  }
}

interface NewRow {
  readonly index_id: number
  readonly id: string
  readonly row: number | undefined
  readonly document: JsonObject
}

const documentColumns = ['row', 'index_id', 'id', 'seq_no', ...columnFields.map(({ name }) => `"${name}"`)]
const sourceColumns = ['row', ...listFields.map(({ name }) => listColumn(name)), 'source', 'hidden']

function insert(database: Database, { index_id, id, row, document }: NewRow): number {
  const columns = columnFields.map((field) => columnValue(field, document[field.name]))
  const seq_no = database.nextSeqNo()
  const written = database.prepare(insertion('c', documentColumns)).run(row ?? null, index_id, id, seq_no, ...columns)
  const lists = listFields.map((field) => valueList(listed(field, document)))
  const split = Object.entries(document)
  const shown = Object.fromEntries(split.filter(([name]) => !hiddenNames.includes(name)))
  const hidden = Object.fromEntries(split.filter(([name]) => hiddenNames.includes(name)))
  const place = row ?? Number(written.lastInsertRowid)
  database.prepare(insertion('b', sourceColumns)).run(place, ...lists, JSON.stringify(shown), JSON.stringify(hidden))
  return seq_no
}

function insertion(table: string, columns: readonly string[]): string {
  return `INSERT OR REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
}

/** Longer texts are kept and not found: `ignore_above` of the template. */
const maxTextLength = 8_000

function columnValue(field: Field, value: unknown): SQLInputValue {
  const given = listOf(value ?? undefined)
  if (given.length > 1) throw mapperError(field, 'has several values')
  if (given.length === 0 && !field.isAlwaysThere) return null
  return typed(field, given[0]) ?? null
}

function listed(field: Field, document: JsonObject): (string | number)[] {
  const [first = '', second] = field.name.split('.')
  const given = listOf(document[first])
  const values = second === undefined ? given : given.map((entry) => objectOf(entry, first)[second])
  return values.flatMap((value) => typed(field, value) ?? [])
}

function typed(field: Field, value: unknown): string | number | undefined {
  try {
    const read = valueOf(field, value)
    if (field.type === 'long' || field.type === 'date') return Math.trunc(Number(read))
    return typeof read === 'string' && read.length > maxTextLength ? undefined : read
  } catch {
    throw mapperError(field, 'has a value of another type')
  }
}

function mapperError({ name, type }: Field, what: string): Refusal {
  return badRequest(`failed to parse field [${name}] of type [${type}]: it ${what}`, 'mapper_parsing_exception')
}

function makeIndex(database: Database, name: string): number {
  const templates = database.all("SELECT body FROM settings WHERE path LIKE '/\\_index\\_template/%' ESCAPE '\\'")
  const patterns = templates.flatMap(({ body }) => {
    const template = parseJson(String(body))
    return isObject(template) ? listOf(template['index_patterns']).map(String) : []
  })
  if (!patterns.some((pattern) => fits(pattern, name))) throw noSuchIndex(name)
  return database.addIndex(name)
}

/** `_mget`: documents as they are now. */
export function multiGet(database: Database, body: JsonObject, excluded: string | undefined): JsonObject {
  const asked = { excludes: excluded === undefined ? [] : excluded.split(',') }
  const docs = listOf(body['docs']).map((given) => {
    const target = objectOf(given, 'docs')
    const [_index, _id] = [textIn(target, '_index'), textIn(target, '_id')]
    const index_id = database.indices.get(_index)
    if (index_id === undefined) {
      const { type, message: reason } = noSuchIndex(_index)
      return { _index, _id, error: { type, reason, root_cause: [{ type, reason }] } }
    }
    const found = database.all(
      'SELECT c.seq_no, b.source, b.hidden FROM c JOIN b USING (row) WHERE c.index_id = ? AND c.id = ?',
      index_id,
      _id,
    )
    const [row] = found
    if (row === undefined) return { _index, _id, found: false }
    const source: unknown = JSON.parse(sourceText(row, asked))
    return { _index, _id, _seq_no: row['seq_no'], _primary_term: 1, found: true, _source: source }
  })
  return { docs }
}
