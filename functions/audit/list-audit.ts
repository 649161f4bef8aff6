import { dynamoAuditLog } from '../../adapters/dynamodb/audit/dynamo-audit-log.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import * as routes from '../../contracts/routes/audit.ts'
import { listAudit } from '../../core/audit/list-audit.ts'
import { endpoint, okData, reply } from '../endpoint.ts'

export const handler = endpoint(
  routes.listAudit,
  { domains: dynamoDomainStore, audit: dynamoAuditLog },
  async ({ domain, query }, ports) => {
    const { records, headers } = await listAudit(ports, domain, query)
    return reply(okData(records), { headers })
  },
)
