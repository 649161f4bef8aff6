import { dynamoDomainStore } from '../../adapters/dynamodb/dynamo-domain-store.ts'
import { dynamoExportStore } from '../../adapters/dynamodb/dynamo-export-store.ts'
import { s3ExportFiles } from '../../adapters/s3/s3-file-store.ts'
import * as routes from '../../contracts/routes/cdr.ts'
import { readExport } from '../../core/cdr/read-export.ts'
import { endpoint, okData } from '../endpoint.ts'

export const handler = endpoint(
  routes.readExport,
  { domains: dynamoDomainStore, exports: dynamoExportStore, exportFiles: s3ExportFiles },
  async ({ domain, caller, params }, ports) =>
    okData(await readExport(ports, { domain, username: caller.username }, params.job_id)),
)
