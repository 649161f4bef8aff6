import type { AuditEntry, AuditLog, AuditRange } from '../../../core/audit/audit-log.ts'
import type { AdapterContext } from '../../context.ts'
import type { Item } from '../client.ts'
import { auditPartition, auditStart, fromAuditItem, toAuditItem } from './audit-item.ts'
import { type Query, queryPage, tableName } from '../client.ts'
import { putNew, unexpired } from '../items.ts'

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
