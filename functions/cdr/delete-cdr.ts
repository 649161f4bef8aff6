import { dynamoErasureStore } from '../../adapters/dynamodb/domains/dynamo-erasure-store.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import * as routes from '../../contracts/routes/cdr.ts'
import { deleteCall } from '../../core/erasures/erase-calls.ts'
import { endpoint, okInfo } from '../endpoint.ts'
import { searchCaller } from './search-caller.ts'

export const handler = endpoint(
  routes.deleteCdr,
  { cdrs: openSearchCdrStore, erasures: dynamoErasureStore },
  async (request, ports) => {
    const removed = await deleteCall({ ...ports, clock: request.clock }, searchCaller(request), request.params.uuid)
    return okInfo(`Removed ${removed} records.`)
  },
)
