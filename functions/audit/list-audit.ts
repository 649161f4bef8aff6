import { dynamoAuditLog } from '../../adapters/dynamodb/audit/dynamo-audit-log.ts'
import * as routes from '../../contracts/routes/audit.ts'
import { listAudit } from '../../core/audit/list-audit.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listAudit,
  { audit: dynamoAuditLog },
  async ({ domain, createdAt, query }, ports) => {
    const { records, headers } = await listAudit(ports, { name: domain, createdAt }, query)
    return reply(okData(records), { headers })
  },
)
