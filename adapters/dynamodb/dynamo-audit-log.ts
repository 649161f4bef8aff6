import type { AuditLog } from '../../core/ports.ts'
import type { AdapterContext } from '../context.ts'
import { keptUntil } from '../retention.ts'
import { tableName } from './client.ts'
import { expirySeconds, putNew } from './items.ts'
import { joinKey, numberPart } from './key.ts'

/** The audit trail in DynamoDB: one partition a domain, in the order of time. A line is never written over. */
export function dynamoAuditLog(context: AdapterContext): AuditLog {
  return {
    async append(record) {
      await putNew(context, tableName(context, 'audit'), {
        pk: joinKey(record.domain),
        // Two lines of one request and moment are two lines.
        sk: joinKey(numberPart(record.at), record.requestId, context.random.uuid()),
        ...record,
        expiresAt: expirySeconds(keptUntil.auditRecord(record)),
      })
    },
  }
}
