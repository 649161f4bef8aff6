/** The domains whose recordings and CDRs are kept: present ones, those under deletion, and those that are gone. */
import { cdrRetentionDaysOf, retentionDaysOf } from '../client-names/domain-parameters.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import type { DeletedDomain, Domain } from '../domains/domain.ts'
import type { LeftRecordings, RecordingStore } from './recording-store.ts'

/** The present domains, and by name the notes of those that are not. */
export interface KeptDomains {
  readonly present: readonly Domain[]
  readonly left: ReadonlyMap<string, LeftRecordings>
}

const pageSize = 100

/**
 * Reads all domains. One under deletion counts as left, with a note that is never over. They are read in the order in
 * which a domain comes by, so that none is missed.
 */
export async function readKeptDomains(
  domains: Pick<DomainStore, 'list' | 'listDeleted'>,
  recordings: Pick<RecordingStore, 'listLeft'>,
): Promise<KeptDomains> {
  const present = await domains.list()
  const deleted = await domains.listDeleted()
  const left = await allLeft(recordings)
  for (const domain of deleted) left.set(domain.name, joinedNote(left.get(domain.name), noteOf(domain, Infinity)))
  return { present, left }
}

/** Returns the note of a domain that is left at a moment, epoch milliseconds. */
export function noteOf(domain: DeletedDomain, leftAt: number): LeftRecordings {
  const [retentionDays, cdrRetentionDays] = [retentionDaysOf(domain), cdrRetentionDaysOf(domain)]
  return { domain: domain.name, retentionDays, cdrRetentionDays, leftAt }
}

/** Returns the one note of a name, from the known one and that of a further domain, as `RecordingStore.leave` says. */
export function joinedNote(known: LeftRecordings | undefined, left: LeftRecordings): LeftRecordings {
  const notes = known === undefined ? [left] : [known, left]
  const cdrDays = notes.flatMap(({ cdrRetentionDays }) => cdrRetentionDays ?? [])
  const isMixed = cdrDays.length === 1 && notes.length === 2
  return {
    domain: left.domain,
    retentionDays: Math.max(...notes.map(({ retentionDays }) => retentionDays)),
    leftAt: Math.max(...notes.map(({ leftAt }) => leftAt)),
    ...(cdrDays.length > 0 && { cdrRetentionDays: Math.max(...cdrDays) }),
    ...((isMixed || notes.some(({ hasUsualCdrs }) => hasUsualCdrs)) && { hasUsualCdrs: true }),
  }
}

async function allLeft(recordings: Pick<RecordingStore, 'listLeft'>): Promise<Map<string, LeftRecordings>> {
  const left = new Map<string, LeftRecordings>()
  for (let after: string | undefined; ; ) {
    const page = await recordings.listLeft(pageSize, after)
    for (const one of page) left.set(one.domain, one)
    after = page.at(-1)?.domain
    if (page.length < pageSize) return left
  }
}
