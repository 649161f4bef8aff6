import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { breadth } from '../support/breadth.ts'
import { memoryCdrStore } from '../support/memory/memory-cdr-store.ts'
import { memoryState } from '../support/memory/memory-state.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import type { CdrStore } from '../../core/cdr/cdr-store.ts'
import type { SearchPlan } from '../../core/cdr/search-plan.ts'
import { emptySearch } from '../support/stores/empty-search.ts'
import { generatedCdrs, generatedPlan } from '../support/records/generated-searches.ts'
import { opened } from '../support/processes/opened.ts'
import { startSearchServer } from '../support/stores/search-server.ts'

const server = opened(() => startSearchServer())

/** The same draws at each run. */
const seed = 20_260_115
const domain = 'generated.example.com'

/** The answer of a store, without values that may differ from run to run. */
async function found(store: CdrStore, plan: SearchPlan) {
  const { tookMs: _took, shards: _shards, ...answer } = await store.search(plan, 60_000)
  return answer
}

it('the embedded server and the store in memory find, sort and count the same CDRs for any search', async () => {
  const embedded = openSearchCdrStore({ env: server().env, clock: systemClock, random: systemRandomness })
  const searches = fc.array(generatedPlan(domain), { minLength: 30, maxLength: 30 })
  const property = fc.asyncProperty(generatedCdrs(domain), searches, async (cdrs, plans) => {
    const memory = memoryCdrStore({ state: memoryState() })
    const parts = cdrs.map((cdr) => ({ source: 'event' as const, cdr }))
    await emptySearch(server().env, domain)
    for (const store of [memory, embedded]) expect(await store.index(parts)).toEqual([])

    for (const plan of plans) {
      const expected = await found(memory, plan)
      expect(await found(embedded, plan)).toEqual(expected)
      const last = expected.hits.at(-1)?.sort
      if (last === undefined) continue
      const next = { ...plan, skip: 0, after: last }
      expect(await found(embedded, next)).toEqual(await found(memory, next))
    }
  })

  await fc.assert(property, { seed, numRuns: breadth(8, 40), endOnFailure: true })
})
