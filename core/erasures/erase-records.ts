import { searchMs } from '../cdr/exports/write-export.ts'
import type { SearchPlan } from '../cdr/search-plan.ts'
import { clockSkewMs, oldestCdrMs } from '../cdr/search/read-cdr.ts'
import { mapAtMost } from '../concurrency/semaphore.ts'
import { DomainError } from '../errors.ts'
import type { Recording } from '../recordings/recording.ts'
import { eraseLegs } from './erase-calls.ts'
import { fileNamesParty, partyClause } from './party.ts'
import type { ErasedPage, OpenErasure, PageDeps } from './run-erasure.ts'

const pageLegs = 100
const sideBySide = 10

/**
 * Removes the recordings and then the CDRs of the next legs that name the party. The CDRs go last, so that an
 * interrupted page is found again.
 */
export async function eraseCalls(deps: PageDeps, job: OpenErasure): Promise<ErasedPage> {
  const { domain, since } = job
  const { hits, timedOut, shards } = await deps.cdrs.search(planOf(job), searchMs)
  if (timedOut) throw new DomainError('search_timeout', 'the search of an erasure took too long')
  if (shards.failed > 0) throw new DomainError('search_unavailable', 'a part of the CDRs cannot be searched now')
  if (hits.length === 0) return { counts: {} }
  const uuids = [...new Set(hits.map(({ cdr }) => cdr.uuid))]
  const found = await mapAtMost(uuids, sideBySide, (uuid) => deps.recordings.list(domain, uuid))
  const counts = await eraseAll(
    deps,
    found.flat().filter(({ startedAt }) => startedAt >= since),
  )
  const cdrs = await eraseLegs(deps, { domain, since }, uuids)
  // What another run has removed is gone; everything else would be found again without end.
  if (cdrs === 0 && (await deps.cdrs.search(planOf(job), searchMs)).hits.length > 0) {
    throw new DomainError('search_unavailable', 'CDRs that were found could not be removed')
  }
  return { counts: { ...counts, cdrs }, after: 'more' }
}

function planOf({ domain, since, createdAt, party }: OpenErasure): SearchPlan {
  return {
    domain,
    legs: ['a', 'b'],
    from: Math.max(since, createdAt - oldestCdrMs),
    to: createdAt + clockSkewMs,
    query: partyClause(party),
    limit: pageLegs,
    skip: 0,
    sort: [{ field: 'uuid', order: 'asc' }],
    columns: ['uuid'],
  }
}

/**
 * Removes recordings of the party's account, and those whose file names the party, also of calls that have no CDR any
 * more. Held ones of marked legs were counted with their calls.
 */
export async function eraseRecordings(
  deps: PageDeps,
  { domain, since, party, after }: OpenErasure,
): Promise<ErasedPage> {
  const [uuid = '', id = ''] = after?.split('\n') ?? []
  const page = await deps.recordings.page(domain, pageLegs, after === undefined ? undefined : { uuid, id })
  const isNamed = fileNamesParty(party)
  const named = page.filter(
    ({ startedAt, presenceId, name }) =>
      startedAt >= since && ((presenceId !== undefined && presenceId === party.presenceId) || isNamed(name)),
  )
  const legs = new Map(named.map((recording) => [recording.uuid, { domain, uuid: recording.uuid }]))
  const marked = new Set((await deps.erasures.listMarked([...legs.values()])).map((mark) => mark.uuid))
  const counts = await eraseAll(deps, named, marked)
  const last = page.at(-1)
  return { counts, after: last && page.length === pageLegs ? `${last.uuid}\n${last.id}` : undefined }
}

async function eraseAll(
  { recordings, recordingFiles, clock }: PageDeps,
  wanted: readonly Recording[],
  counted: ReadonlySet<string> = new Set(),
): Promise<{ recordings: number; held: number }> {
  const outcomes = await mapAtMost(wanted, sideBySide, async (recording) => {
    const outcome = await recordings.markDeleted(recording, clock.now(), true)
    if (outcome === 'held') return counted.has(recording.uuid) ? 'counted' : outcome
    if (recording.isRemoved === true) return outcome
    await recordingFiles.remove(recording.key)
    await recordings.markRemoved(recording, clock.now())
    return outcome
  })
  const count = (wanted: 'deleted' | 'held') => outcomes.filter((outcome) => outcome === wanted).length
  return { recordings: count('deleted'), held: count('held') }
}
