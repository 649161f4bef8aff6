import { invalidField } from '../errors.ts'
import { applyList } from '../requests/apply-list.ts'
import { type ListQuery, readCursor, readWishes, writeCursor } from '../requests/list-query.ts'
import type { AuditEntry, AuditLog, AuditRecord } from './audit-log.ts'

/** The ports of {@link listAudit}. */
export interface ListAuditPorts {
  readonly audit: Pick<AuditLog, 'list'>
}

const fields = [
  'at',
  'requestId',
  'caller',
  'domain',
  'sourceAddress',
  'method',
  'path',
  'status',
  'fields',
  'note',
] as const

const defaultLimit = 40
const batchSize = 1_000
/** Lines that one request examines; after that, its page ends and the cursor continues. */
const maxLooked = 10_000

/**
 * Lists the trail of a domain, newest line first, or oldest first if `sort` is `{"at":1}`. Lines older than the domain
 * are hidden, since they belong to an earlier tenant of its name. The list is always paged. When a filter matches few
 * lines, a page may have fewer lines than its limit although a cursor continues. Throws `invalid_field`.
 */
export async function listAudit(
  ports: ListAuditPorts,
  { name, createdAt }: { readonly name: string; readonly createdAt: number },
  query: ListQuery,
): Promise<{ records: Partial<AuditRecord>[]; headers: Readonly<Record<string, string>> }> {
  const newestFirst = readOrder(query)
  const limit = query.limit ?? defaultLimit
  const skipped = ((query.page ?? 1) - 1) * limit
  if (skipped + limit > maxLooked) throw invalidField('page', `must not lead beyond ${maxLooked} lines: use the cursor`)
  const start = query.cursor === undefined ? undefined : readCursor(query.cursor).id
  const { found, last } = await look(ports.audit, name, {
    query,
    wanted: skipped + limit + 1,
    range: { since: createdAt, newestFirst, after: start },
  })
  const page = found.slice(skipped, skipped + limit)
  const next = found.length > skipped + limit ? page.at(-1)?.position : last
  return {
    records: cut(page, query),
    headers: next === undefined ? {} : { 'X-Next-Cursor': writeCursor({ id: next, values: [0] }) },
  }
}

interface Look {
  readonly query: ListQuery
  readonly wanted: number
  readonly range: { readonly since: number; readonly newestFirst: boolean; readonly after: string | undefined }
}

async function look(
  audit: ListAuditPorts['audit'],
  domain: string,
  { query, wanted, range }: Look,
): Promise<{ found: AuditEntry[]; last: string | undefined }> {
  const found: AuditEntry[] = []
  let { after } = range
  for (let looked = 0; looked < maxLooked; looked += batchSize) {
    const batch = await audit.list(domain, { ...range, after, limit: Math.min(batchSize, filtered(query, wanted)) })
    found.push(...matching(batch, query))
    after = batch.at(-1)?.position ?? after
    if (batch.length < Math.min(batchSize, filtered(query, wanted))) return { found, last: undefined }
    if (found.length >= wanted) return { found, last: after }
  }
  return { found, last: after }
}

function filtered({ filter }: ListQuery, wanted: number): number {
  return filter === undefined ? wanted : batchSize
}

function matching(batch: readonly AuditEntry[], { filter }: ListQuery): AuditEntry[] {
  if (filter === undefined) return [...batch]
  const kept = new Set(
    applyList(batch, { filter }, { id: ({ position }) => position, fields }).rows.map(({ id }) => id),
  )
  return batch.filter(({ position }) => kept.has(position))
}

function cut(page: readonly AuditEntry[], { columns }: ListQuery): Partial<AuditRecord>[] {
  const { rows } = applyList(page, { columns }, { id: ({ position }) => position, fields })
  return rows.map(({ item: { position: _position, ...record } }) => record)
}

function readOrder(query: ListQuery): boolean {
  if (query.cursor !== undefined && query.page !== undefined) {
    throw invalidField('cursor', 'must not be given together with page')
  }
  const { sort } = readWishes(query, fields)
  if (sort.length === 0) return true
  const [first] = sort
  if (sort.length > 1 || first?.field !== 'at') throw invalidField('sort', 'must be {"at":1} or {"at":-1}')
  return first.direction === -1
}
