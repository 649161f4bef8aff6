import type { AuditLog } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import { documentClient, tableName } from './client.ts'
import { expirySeconds, putNew } from './items.ts'
import { joinKey, numberPart } from './key.ts'

/** The audit trail in DynamoDB: one partition a domain, in the order of time. A line is never written over. */
export function dynamoAuditLog(context: AdapterContext): AuditLog {
  const client = documentClient(context)
  return {
    async append(record) {
      const { random, clock } = context
      const item = {
        pk: joinKey(record.domain),
        // Two lines of one request and moment are two lines.
        sk: joinKey(numberPart(record.at), record.requestId, random.uuid()),
        ...record,
        expiresAt: expirySeconds(keptUntil.auditRecord(record)),
      }
      await putNew(client, tableName(context, 'audit'), item, { random, now: clock.now() })
    },
  }
}
