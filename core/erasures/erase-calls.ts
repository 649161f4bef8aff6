import type { CdrStore } from '../cdr/cdr-store.ts'
import type { Clause } from '../cdr/search-plan.ts'
import { clockSkewMs, oldestCdrMs, readCdr, otherLegs } from '../cdr/search/read-cdr.ts'
import type { SearchScope } from '../cdr/search/search-scope.ts'
import type { Clock } from '../time.ts'
import type { ErasureStore } from './erasure.ts'

/** The dependencies of removing calls. */
export interface EraseCallsDeps {
  readonly cdrs: Pick<CdrStore, 'remove'>
  readonly erasures: Pick<ErasureStore, 'mark'>
  readonly clock: Clock
}

/** CDRs that one request removes at most. */
const removedTogether = 1000

/**
 * Removes the CDRs of legs of a domain and returns their number. The legs are marked first, so that a CDR that is
 * indexed meanwhile, or comes later, is removed by its indexing (core/cdr/indexing/index-update.ts). Nothing that began
 * before `since` (epoch milliseconds) is touched.
 */
export async function eraseLegs(
  { cdrs, erasures, clock }: EraseCallsDeps,
  { domain, since }: { readonly domain: string; readonly since: number },
  uuids: readonly string[],
): Promise<number> {
  await erasures.mark(domain, uuids)
  const now = clock.now()
  const from = Math.max(since, now - oldestCdrMs)
  const query: Clause = { kind: 'equals', field: 'uuid', values: uuids }
  for (let removed = 0; ; ) {
    const found = await cdrs.remove({ domain, legs: ['a', 'b'], from, to: now + clockSkewMs, query }, removedTogether)
    removed += found
    if (found < removedTogether) return removed
  }
}

/**
 * Removes the CDRs of a call, found by any of its legs, and returns their number; its recordings stay. The named leg
 * goes last, so that a removal that failed half way can be repeated. Throws `not_found` when there is no CDR of the
 * leg, and `search_timeout` or `search_unavailable` when not everything could be searched.
 */
export async function deleteCall(
  tools: EraseCallsDeps & { readonly cdrs: Pick<CdrStore, 'search'> },
  scope: SearchScope,
  uuid: string,
): Promise<number> {
  const leg = await readCdr(tools, scope, uuid)
  const legs = [leg, ...(await otherLegs(tools, scope, uuid))]
  const uuids = legs.flatMap(({ uuid: own, parent_uuid: parent }) => (parent === undefined ? [own] : [own, parent]))
  const others = [...new Set(uuids)].filter((uuid) => uuid !== leg.uuid)
  const tenancy = { domain: leg.domain_name, since: scope.since ?? 0 }
  const removed = others.length === 0 ? 0 : await eraseLegs(tools, tenancy, others)
  return removed + (await eraseLegs(tools, tenancy, [leg.uuid]))
}
