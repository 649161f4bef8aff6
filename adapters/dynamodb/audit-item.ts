import * as z from 'zod/mini'
import type { AuditEntry, AuditRecord } from '../../core/audit/audit-log.ts'
import { keptUntil } from '../retention.ts'
import type { Item } from './client.ts'
import { expirySeconds, parseItem } from './items.ts'
import { joinKey, numberPart } from './key.ts'

/** A line of the trail as it is stored. */
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

/** The partition of a domain's trail; what is done in no domain has the empty one. */
export function auditPartition(domain: string): string {
  return joinKey(domain)
}

/** Where a domain's lines of a moment and later begin. */
export function auditStart(at: number): string {
  return joinKey(numberPart(at))
}

/** A line as an item. Two lines of one request and moment are two lines: `id` tells them apart. */
export function toAuditItem(record: AuditRecord, id: string) {
  return {
    pk: auditPartition(record.domain),
    sk: joinKey(numberPart(record.at), record.requestId, id),
    ...record,
    expiresAt: expirySeconds(keptUntil.auditRecord(record)),
  }
}

/** The line in an item. */
export function fromAuditItem(item: Item | undefined): AuditEntry | undefined {
  const parsed = parseItem(auditItem, item)
  if (parsed === undefined) return undefined
  const { sk: position, ...record } = parsed
  return { ...record, position }
}
