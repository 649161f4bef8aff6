import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import * as routes from '../../contracts/routes/cdr.ts'
import { readCdr } from '../../core/cdr/search/read-cdr.ts'
import { presentCdr } from '../../core/cdr/search/present-hit.ts'
import { endpoint, okData } from '../endpoint.ts'
import { searchCaller } from './search-caller.ts'

export const handler = endpoint(routes.readCdr, { cdrs: openSearchCdrStore }, async (request, { cdrs }) => {
  const cdr = await readCdr({ cdrs, clock: request.clock }, searchCaller(request), request.params.uuid)
  return okData(presentCdr(cdr))
})
