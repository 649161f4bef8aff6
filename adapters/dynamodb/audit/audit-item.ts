import * as z from 'zod/mini'
import type { AuditEntry, AuditRecord } from '../../../core/audit/audit-log.ts'
import { keptUntil } from '../../retention.ts'
import type { Item } from '../client.ts'
import { expirySeconds, parseItem } from '../items.ts'
import { joinKey, numberPart } from '../key.ts'

const auditItem = z.object({
  sk: z.string(),
  at: z.number(),
  requestId: z.string(),
  caller: z.string(),
  domain: z.string(),
  sourceAddress: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
  fields: z.array(z.string()),
  note: z.optional(z.string()),
})

/** Returns the partition of a domain's trail; requests outside of a domain have the empty one. */
export function auditPartition(domain: string): string {
  return joinKey(domain)
}

/** Returns the first sort key of a domain's lines at or after a moment. */
export function auditStart(at: number): string {
  return joinKey(numberPart(at))
}

/** Returns a line as an item. `id` distinguishes two lines of one request and moment. */
export function toAuditItem(record: AuditRecord, id: string) {
  return {
    pk: auditPartition(record.domain),
    sk: joinKey(numberPart(record.at), record.requestId, id),
    ...record,
    expiresAt: expirySeconds(keptUntil.auditRecord(record)),
  }
}

/** Returns the line in an item. */
export function fromAuditItem(item: Item | undefined): AuditEntry | undefined {
  const parsed = parseItem(auditItem, item)
  if (parsed === undefined) return undefined
  const { sk: position, ...record } = parsed
  return { ...record, position }
}
