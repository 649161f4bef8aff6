import { DomainError } from '../errors.ts'
import type { Clock } from '../ports.ts'
import type { Cdr } from './cdr.ts'
import type { CdrStore } from './cdr-store.ts'
import type { Clause, SearchPlan } from './search-plan.ts'
import { searchLimitMs } from './search-cdrs.ts'
import { type SearchScope, boundsOf } from './search/search-scope.ts'

/** What reading needs. */
export interface ReadTools {
  readonly cdrs: Pick<CdrStore, 'search'>
  readonly clock: Clock
}

const day = 86_400_000

/** How long ago a call may have begun, and how far ahead the clock of an engine may be. */
const [oldestMs, clockSkewMs] = [400 * day, day]

/**
 * The CDR of a leg; of several that root sees in different domains the newest. Throws `not_found`, and `search_timeout`
 * or `search_unavailable` where not everything could be searched.
 */
export async function readCdr(tools: ReadTools, scope: SearchScope, uuid: string): Promise<Cdr> {
  const [cdr] = await found(tools, scope, { kind: 'equals', field: 'uuid', values: [uuid] }, 1)
  if (cdr === undefined) throw new DomainError('not_found', `there is no CDR ${uuid}`)
  return cdr
}

/** Legs of one call. */
const maxLegs = 1000

/**
 * The other legs of a leg's call, the newest first: those that were created for it, the one that it was created for,
 * and what was created for that one. Throws `not_found` when the leg itself is not there.
 */
export async function otherLegs(tools: ReadTools, scope: SearchScope, uuid: string): Promise<readonly Cdr[]> {
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

async function found(tools: ReadTools, scope: SearchScope, query: Clause, limit: number): Promise<readonly Cdr[]> {
  const now = tools.clock.now()
  const bounds = boundsOf(scope, { from: now - oldestMs, to: now + clockSkewMs })
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
  // What was not found may be in the part that did not answer.
  if (shards.failed > 0) throw new DomainError('search_unavailable', 'a part of the CDRs cannot be searched now')
  return hits.map(({ cdr }) => cdr)
}
