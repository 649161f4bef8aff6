/** The store of CDRs, judged by a real OpenSearch: the contract suite of all its implementations, unchanged. */
import { describe, expect } from 'vitest'
import { openSearchCdrAdmin } from '../../adapters/opensearch/opensearch-cdr-admin.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { systemClock } from '../../adapters/system/system-clock.ts'
import { cdrStoreContract } from '../contract/cdr-store.contract.ts'
import { type OpenSearchNode, fetchOpenSearch, startOpenSearch } from '../support/opensearch-node.ts'

const fetched = fetchOpenSearch()
const missing = 'missing' in fetched ? fetched.missing : undefined
if (missing !== undefined) console.warn(`OpenSearch does not judge the store of CDRs: ${missing}`)

function contextOf({ endpoint }: OpenSearchNode) {
  const env = {
    OPENSEARCH_URL: endpoint,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  }
  return { env, clock: systemClock, random: systemRandomness }
}

describe.skipIf(missing !== undefined)('OpenSearch', () => {
  cdrStoreContract(async () => {
    const node = await startOpenSearch('folder' in fetched ? fetched.folder : '')
    const context = contextOf(node)
    await openSearchCdrAdmin(context).prepare()
    return {
      store: openSearchCdrStore(context),
      async settle() {
        const { status } = await fetch(`${node.endpoint}/_refresh`, { method: 'POST' })
        expect(status).toBe(200)
      },
      async close() {
        console.info(`OpenSearch: ${node.memoryMib()} MiB`)
        await node.close()
      },
    }
  })
})
