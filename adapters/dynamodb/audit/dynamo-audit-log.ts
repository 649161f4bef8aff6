import type { AuditEntry, AuditLog, AuditRange, AuditRecord } from '../../../core/audit/audit-log.ts'
import type { AdapterContext } from '../../context.ts'
import { type Item, type Query, queryPage, tableName } from '../client.ts'
import { expirySeconds, parseItem, putNew, unexpired } from '../items.ts'
import * as z from 'zod/mini'
import { keptUntil } from '../../retention.ts'
import { joinKey, numberPart } from '../key.ts'

/** Sorts after every sort key of the trail: those begin with digits. */
const END = '~'

/** The audit trail in DynamoDB: one partition a domain, in the order of time. A line is never written over. */
export function dynamoAuditLog(context: AdapterContext): AuditLog {
  return {
    async append(record) {
      await putNew(context, tableName(context, 'audit'), toAuditItem(record, context.random.uuid()))
    },
    async list(domain, range) {
      const query = pageOf(context, domain, range)
      const found: AuditEntry[] = []
      let start: Item | undefined
      do {
        const { items, next } = await queryPage(context, query, start)
        found.push(...items.flatMap((item) => fromAuditItem(unexpired(context, item)) ?? []))
        start = next
      } while (start !== undefined && found.length <= range.limit)
      // The query includes both ends, but not again the entry after which it continues.
      return found.filter(({ position }) => position !== range.after).slice(0, range.limit)
    },
  }
}

function pageOf(context: AdapterContext, domain: string, { since, after, newestFirst, limit }: AuditRange): Query {
  const start = auditStart(since)
  const later = after !== undefined && after > start ? after : start
  const [from, to] = newestFirst ? [start, after ?? END] : [later, END]
  return {
    TableName: tableName(context, 'audit'),
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': auditPartition(domain), ':from': from, ':to': to },
    ScanIndexForward: !newestFirst,
    Limit: limit + 1,
  }
}

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
function auditPartition(domain: string): string {
  return joinKey(domain)
}

/** Returns the first sort key of a domain's lines at or after a moment. */
function auditStart(at: number): string {
  return joinKey(numberPart(at))
}

/** Returns a line as an item. `id` distinguishes two lines of one request and moment. */
function toAuditItem(record: AuditRecord, id: string) {
  return {
    pk: auditPartition(record.domain),
    sk: joinKey(numberPart(record.at), record.requestId, id),
    ...record,
    expiresAt: expirySeconds(keptUntil.auditRecord(record)),
  }
}

/** Returns the line in an item. */
function fromAuditItem(item: Item | undefined): AuditEntry | undefined {
  const parsed = parseItem(auditItem, item)
  if (parsed === undefined) return undefined
  const { sk: position, ...record } = parsed
  return { ...record, position }
}
