import { dynamoExportStore } from '../../adapters/dynamodb/recordings/dynamo-export-store.ts'
import { s3ExportFiles } from '../../adapters/s3/s3-file-store.ts'
import * as routes from '../../contracts/routes/cdr.ts'
import { readExport } from '../../core/cdr/exports/read-export.ts'
import { endpoint, okData } from '../endpoint.ts'
import { searchCaller } from './search-caller.ts'

export const handler = endpoint(
  routes.readExport,
  { exports: dynamoExportStore, exportFiles: s3ExportFiles },
  async (request, ports) => okData(await readExport(ports, searchCaller(request), request.params.job_id)),
)
