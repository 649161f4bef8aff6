import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { AuditEntry, AuditLog, AuditRange } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { auditPartition, auditStart, fromAuditItem, toAuditItem } from './audit-item.ts'
import { documentClient, tableName } from './client.ts'
import { guarded } from './errors.ts'
import { type Item, isExpired, putNew } from './items.ts'

/** Sorts behind every sort key of the trail: those begin with digits. */
const END = '~'

/** The audit trail in DynamoDB: one partition a domain, in the order of time. A line is never written over. */
export function dynamoAuditLog(context: AdapterContext): AuditLog {
  const client = documentClient(context)
  return {
    async append(record) {
      const { random, clock } = context
      const item = toAuditItem(record, random.uuid())
      await putNew(client, tableName(context, 'audit'), item, { random, now: clock.now() })
    },
    async list(domain, range) {
      const found: AuditEntry[] = []
      let ExclusiveStartKey: Item | undefined
      do {
        const query = new QueryCommand({ ...pageOf(context, domain, range), ExclusiveStartKey })
        const page = await guarded(() => client.send(query))
        const live = (page.Items ?? []).filter((item) => !isExpired(item, context.clock.now()))
        found.push(...live.flatMap((item) => fromAuditItem(item) ?? []))
        ExclusiveStartKey = page.LastEvaluatedKey
      } while (ExclusiveStartKey !== undefined && found.length <= range.limit)
      // Both ends of the query are in it; the entry that it continues behind is not wanted again.
      return found.filter(({ position }) => position !== range.after).slice(0, range.limit)
    },
  }
}

/** The lines between the beginning of the range, or the entry that it continues behind, and its end. */
function pageOf(context: AdapterContext, domain: string, { since, after, newestFirst, limit }: AuditRange) {
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
