import { dynamoExportStore } from '../../adapters/dynamodb/recordings/dynamo-export-store.ts'
import { dynamoRateLimitStore } from '../../adapters/dynamodb/access/dynamo-rate-limit-store.ts'
import { sqsExportQueue } from '../../adapters/sqs/sqs-export-queue.ts'
import * as routes from '../../contracts/routes/cdr.ts'
import { beginExport } from '../../core/cdr/exports/begin-export.ts'
import { endpoint, okData } from '../endpoint.ts'
import { searchCaller } from './search-caller.ts'

export const handler = endpoint(
  routes.beginExport,
  {
    exports: dynamoExportStore,
    exportQueue: sqsExportQueue,
    rateLimits: dynamoRateLimitStore,
  },
  async (request, ports) => {
    const { body, query } = request
    const asked = { body, leg: query.leg, format: body.format }
    return okData({ jobId: await beginExport(ports, searchCaller(request), asked, request) })
  },
)
