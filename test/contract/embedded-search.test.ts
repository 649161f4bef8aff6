import { describe } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import { startSearchServer } from '../support/stores/search-server.ts'
import { cdrStoreContract } from './cdr-store.contract.ts'

describe('CDRs in the embedded search server', () => {
  cdrStoreContract(async () => {
    const server = await startSearchServer()
    return {
      store: openSearchCdrStore({ env: server.env, clock: systemClock, random: systemRandomness }),
      settle: async () => {},
      close: () => server.close(),
    }
  })
})
