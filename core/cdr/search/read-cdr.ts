import { cdrRetentionDays } from '../../client-names/domain-parameters.ts'
import { DomainError } from '../../errors.ts'
import type { Clock } from '../../time.ts'
import type { Cdr } from '../cdr.ts'
import type { CdrStore } from '../cdr-store.ts'
import type { Clause, SearchPlan } from '../search-plan.ts'
import { searchLimitMs } from './search-cdrs.ts'
import { type SearchScope, boundsOf } from './search-scope.ts'

/** The dependencies of reading CDRs. */
export interface ReadDeps {
  readonly cdrs: Pick<CdrStore, 'search'>
  readonly clock: Clock
}

const day = 86_400_000

/** The longest time since the beginning of a call whose CDR is kept: the most that a domain may ask for. */
export const oldestCdrMs = cdrRetentionDays.most * day

/** The most that an engine's clock may be ahead. */
export const clockSkewMs = day

/**
 * Returns the CDR of a leg, and the newest if root sees several in different domains. Throws `not_found`, and
 * `search_timeout` or `search_unavailable` when not everything could be searched.
 */
export async function readCdr(tools: ReadDeps, scope: SearchScope, uuid: string): Promise<Cdr> {
  const [cdr] = await found(tools, scope, { kind: 'equals', field: 'uuid', values: [uuid] }, 1)
  if (cdr === undefined) throw new DomainError('not_found', `there is no CDR ${uuid}`)
  return cdr
}

const maxLegs = 1000

/**
 * Returns the other legs of a leg's call, newest first: those that were created for it, the leg that it was created
 * for, and the others that were created for that one. Throws `not_found` when the leg itself does not exist.
 */
export async function otherLegs(tools: ReadDeps, scope: SearchScope, uuid: string): Promise<readonly Cdr[]> {
  const { parent_uuid: parent, domain_name: domain } = await readCdr(tools, scope, uuid)
  const values = parent === undefined ? [uuid] : [uuid, parent]
  const should: Clause[] = [{ kind: 'equals', field: 'parent_uuid', values }]
  if (parent !== undefined) should.push({ kind: 'equals', field: 'uuid', values: [parent] })
  const itself: Clause = { kind: 'equals', field: 'uuid', values: [uuid] }
  return found(
    tools,
    { ...scope, domain },
    { kind: 'bool', must: [], mustNot: [itself], should, leastShould: 1 },
    maxLegs,
  )
}

async function found(tools: ReadDeps, scope: SearchScope, query: Clause, limit: number): Promise<readonly Cdr[]> {
  const now = tools.clock.now()
  const bounds = boundsOf(scope, { from: now - oldestCdrMs, to: now + clockSkewMs })
  if (bounds === undefined) return []
  const plan: SearchPlan = {
    ...bounds,
    legs: ['a', 'b'],
    query,
    limit,
    skip: 0,
    sort: [
      { field: 'created_time', order: 'desc' },
      { field: 'uuid', order: 'asc' },
    ],
  }
  const { hits, timedOut, shards } = await tools.cdrs.search(plan, searchLimitMs)
  if (timedOut) throw new DomainError('search_timeout', 'the search took too long')
  // A missing CDR may be in the part that did not answer.
  if (shards.failed > 0) throw new DomainError('search_unavailable', 'a part of the CDRs cannot be searched now')
  return hits.map(({ cdr }) => cdr)
}
