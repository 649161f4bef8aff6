import { secretsManagerSecretReader } from '../../adapters/aws/secrets-manager-secret-reader.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import * as routes from '../../contracts/routes/cdr.ts'
import { searchCdrs } from '../../core/cdr/search/search-cdrs.ts'
import { endpoint, reply } from '../endpoint.ts'
import { scrollSigner } from './scroll-signer.ts'
import { searchCaller } from './search-caller.ts'

export const handler = endpoint(
  routes.searchCdrs,
  { cdrs: openSearchCdrStore, secrets: secretsManagerSecretReader },
  async (request, { cdrs, secrets }) => {
    const tools = { cdrs, clock: request.clock, signer: scrollSigner(secrets) }
    const { body, headers } = await searchCdrs(tools, searchCaller(request), {
      body: request.body,
      leg: request.query.leg,
    })
    return reply(body, { headers })
  },
)
