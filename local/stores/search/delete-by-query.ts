import type { Database } from './database.ts'
import type { ChosenIndices } from './index-names.ts'
import { type JsonObject, checkNames } from './json.ts'
import { queryCondition } from './query.ts'

const usualMost = 10_000

/** `_delete_by_query`: removes documents that a query finds, `most` of them at most. */
export function deleteByQuery(
  database: Database,
  indices: ChosenIndices,
  body: JsonObject,
  most = usualMost,
): JsonObject {
  checkNames(body, ['query'], 'delete_by_query')
  const { sql, values } = queryCondition(body['query'])
  const chosen = indices === 'all' ? '1' : `c.index_id IN (${indices.map(() => '?').join(', ')})`
  const rows = database.all(
    `SELECT c.row FROM c JOIN b USING (row) WHERE ${sql} AND ${chosen} LIMIT ?`,
    ...values,
    ...(indices === 'all' ? [] : indices),
    most,
  )
  database.transaction(() => {
    for (const { row } of rows) {
      database.prepare('DELETE FROM c WHERE row = ?').run(Number(row))
      database.prepare('DELETE FROM b WHERE row = ?').run(Number(row))
    }
  })
  return {
    took: 0,
    timed_out: false,
    total: rows.length,
    deleted: rows.length,
    batches: 1,
    version_conflicts: 0,
    noops: 0,
    failures: [],
  }
}
