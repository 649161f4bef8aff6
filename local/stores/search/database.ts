import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { columnFields, listColumn, listFields } from './field.ts'
import { addFunctions, type Functions } from './functions.ts'

/** The file of documents, with its prepared statements. */
export interface Database {
  readonly functions: Functions
  readonly indices: ReadonlyMap<string, number>
  addIndex(name: string): number
  /** The number of the next write: it rises over restarts too. To be called within a transaction. */
  nextSeqNo(): number
  prepare(sql: string): StatementSync
  all(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[]
  /** Runs work in a transaction; its effects are on the disk when it returns. */
  transaction<T>(work: () => T): T
  close(): void
}

const maxStatements = 200

const sqlTypes = { keyword: 'TEXT', long: 'INTEGER', double: 'REAL', date: 'INTEGER' } as const

/**
 * Rows are narrow, so that many are scanned quickly; the document itself is in a second table. `by_time` contains all
 * that a tenant's list by time needs, in its order.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS indices (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS settings (path TEXT PRIMARY KEY, body TEXT NOT NULL, seq_no INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS c (
    row INTEGER PRIMARY KEY,
    index_id INTEGER NOT NULL,
    id TEXT NOT NULL,
    seq_no INTEGER NOT NULL,
    ${columnFields.map(({ name, type, isAlwaysThere }) => `"${name}" ${sqlTypes[type]}${isAlwaysThere ? ' NOT NULL' : ''}`).join(', ')},
    UNIQUE (index_id, id)
  );
  CREATE INDEX IF NOT EXISTS by_time ON c (domain_name, created_time DESC, uuid, leg, index_id);
  CREATE INDEX IF NOT EXISTS by_uuid ON c (uuid);
  CREATE INDEX IF NOT EXISTS by_time_alone ON c (created_time DESC, uuid, leg, index_id);
  CREATE TABLE IF NOT EXISTS b (
    row INTEGER PRIMARY KEY,
    ${listFields.map(({ name }) => `${listColumn(name)} TEXT NOT NULL`).join(', ')},
    source TEXT NOT NULL,
    hidden TEXT NOT NULL
  );
`

/** Opens the file, or makes it. `:memory:` is no file. */
export function openDatabase(file: string): Database {
  const sqlite = new DatabaseSync(file)
  // An answered write is on the disk; the cache and the map of the file are part of the platform's memory.
  sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000')
  sqlite.exec(schema)
  const functions = addFunctions(sqlite)
  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    if (statements.size >= maxStatements) statements.clear()
    const statement = sqlite.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const indices = new Map(
    prepare('SELECT id, name FROM indices')
      .all()
      .map(({ id, name }) => [String(name), Number(id)]),
  )
  let seqNo = Number(prepare("SELECT seq_no FROM settings WHERE path = 'seq_no'").get()?.['seq_no'] ?? 0)
  let keptSeqNo = seqNo
  const keepSeqNo = (): void => {
    if (seqNo !== keptSeqNo) prepare("INSERT OR REPLACE INTO settings VALUES ('seq_no', '', ?)").run(seqNo)
    keptSeqNo = seqNo
  }
  return {
    functions,
    indices,
    addIndex(name) {
      const id = Number(prepare('INSERT INTO indices (name) VALUES (?)').run(name).lastInsertRowid)
      indices.set(name, id)
      return id
    },
    nextSeqNo() {
      seqNo += 1
      return seqNo
    },
    prepare,
    all: (sql, ...values) => prepare(sql).all(...values),
    transaction(work) {
      sqlite.exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        keepSeqNo()
        sqlite.exec('COMMIT')
        return result
      } catch (error) {
        sqlite.exec('ROLLBACK')
        // Columns that were made in it do not exist.
        keptSeqNo = -1
        indices.clear()
        for (const { id, name } of prepare('SELECT id, name FROM indices').all()) indices.set(String(name), Number(id))
        throw error
      }
    },
    close: () => sqlite.close(),
  }
}
