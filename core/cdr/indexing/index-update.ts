import type { CdrKey, CdrStore } from '../cdr-store.ts'
import type { DomainStore } from '../../domains/domain-store.ts'
import type { RecordingStore } from '../../recordings/recording-store.ts'
import type { ErasureStore } from '../../erasures/erasure.ts'
import type { Recording } from '../../recordings/recording.ts'
import type { CdrPart, CdrRecording } from '../cdr.ts'
import { cdrFromEvent } from '../cdr-from-event.ts'
import { engineTimeOf, latestReportMs, longestCallMs } from '../cdr-of-end.ts'
import { cdrFromPost, postDomainCandidates } from '../cdr-from-post.ts'
import type { CdrUpdate, EventUpdate, PostUpdate } from '../cdr-update.ts'

/** The ports of {@link indexUpdate}. */
export interface IndexPorts {
  readonly cdrs: Pick<CdrStore, 'index' | 'setRecordings' | 'remove'>
  readonly domains: Pick<DomainStore, 'read' | 'readDeleted'>
  readonly recordings: Pick<RecordingStore, 'listRecorded' | 'list' | 'wasLeft'>
  readonly erasures: Pick<ErasureStore, 'listMarked'>
}

/** The result of processing an update. `unowned`: no domain matches the leg. `erased`: its call was removed. */
export type IndexOutcome = 'indexed' | 'unowned' | 'erased' | { readonly refused: string }

/**
 * Writes an update of a CDR to the index: the report of an ended leg, together with its present recordings, or only its
 * recordings. Calls that the deletion of a domain hung up get CDRs, too: they are kept until their retention ends, and
 * a later tenant of the name finds only its own. It is idempotent and independent of order. Throws `search_unavailable`
 * or `store_unavailable` during an outage.
 */
export async function indexUpdate(ports: IndexPorts, update: CdrUpdate): Promise<IndexOutcome> {
  if (update.kind === 'recording') {
    const { uuid, domain, leg, createdTime } = update
    // If the CDR does not exist yet, its first part will read the recordings, too.
    const place = { uuid, domain_name: domain, created_time: createdTime }
    // Whether the leg is `a` or `b` may be known only at its end, after its recording.
    const isShown = await showRecordings(ports, { ...place, leg })
    if (!isShown) await showRecordings(ports, { ...place, leg: leg === 'a' ? 'b' : 'a' })
    return 'indexed'
  }
  const domain = await domainOf(ports, update)
  if (domain === undefined) return 'unowned'
  const part = await ownPart(ports, update, domain)
  if (part === undefined) return { refused: 'it has no usable time' }
  const [refused] = await ports.cdrs.index([part])
  if (refused !== undefined) return { refused: refused.reason }
  // Hardly any leg is recorded, or erased, and the legs of a batch are asked about together.
  const { domain_name, uuid } = part.cdr
  const [recorded, isErased] = await Promise.all([
    ports.recordings.listRecorded([{ domain: domain_name, uuid }]),
    removeErased(ports, part),
  ])
  if (isErased) return 'erased'
  if (recorded.length > 0) await showRecordings(ports, part.cdr)
  return 'indexed'
}

/**
 * Removes the CDR that was just written if its call was erased. An erasure marks a call first and then removes its
 * CDRs, so either this finds the mark, or the erasure finds the CDR.
 */
async function removeErased({ cdrs, erasures }: IndexPorts, { cdr }: CdrPart): Promise<boolean> {
  const { domain_name: domain, uuid, parent_uuid: parent, created_time: at } = cdr
  const legs = [uuid, ...(parent === undefined ? [] : [parent])].map((each) => ({ domain, uuid: each }))
  if ((await erasures.listMarked(legs)).length === 0) return false
  const query = { kind: 'equals', field: 'uuid', values: [uuid] } as const
  // The span reaches into the present, since what was just written is to be found.
  await cdrs.remove({ domain, legs: ['a', 'b'], from: at - longestCallMs, to: at + latestReportMs, query }, 2)
  return true
}

function partOf(update: EventUpdate | PostUpdate, domain: string): CdrPart | undefined {
  const leg = { domain, uuid: update.uuid, occurredAt: update.occurredAt, fields: update.fields }
  return update.kind === 'event' ? cdrFromEvent(leg) : cdrFromPost(leg)
}

/**
 * The domain of an event existed when the connector received it; a post only names candidates, now or a moment ago, and
 * comes with the creation of a present one.
 */
async function domainOf(
  { domains }: IndexPorts,
  update: EventUpdate | PostUpdate,
): Promise<{ readonly name: string; readonly createdAt?: number } | undefined> {
  if (update.kind === 'event') return { name: update.domain }
  for (const name of postDomainCandidates(update.fields)) {
    const found = await domains.read(name)
    if (found !== undefined) return found
    if ((await domains.readDeleted(name)) !== undefined) return { name }
  }
  return undefined
}

/**
 * A posted leg that by the engine's clock is older than its domain is an earlier tenant's, and keeps that time. Where
 * nobody had the name before, the engine's clock is slow: the leg began with the domain, at the earliest.
 */
async function ownPart(
  { recordings }: IndexPorts,
  update: EventUpdate | PostUpdate,
  { name, createdAt = 0 }: { readonly name: string; readonly createdAt?: number },
): Promise<CdrPart | undefined> {
  const part = partOf(update, name)
  const began = engineTimeOf(update) ?? part?.cdr.created_time
  if (part === undefined || began === undefined || began >= createdAt) return part
  // A leg with the engine's time is one that was corrected, which an earlier tenant's is not.
  const { engine_time: _own, ...variables } = part.cdr.variables
  if (await recordings.wasLeft(name)) return { ...part, cdr: { ...part.cdr, created_time: began, variables } }
  const own = { ...variables, engine_time: new Date(began).toISOString() }
  return { ...part, cdr: { ...part.cdr, created_time: Math.max(createdAt, part.cdr.created_time), variables: own } }
}

async function showRecordings({ cdrs, recordings }: IndexPorts, place: CdrKey): Promise<boolean> {
  const { uuid, domain_name, leg, created_time } = place
  const found = await recordings.list(domain_name, uuid)
  return cdrs.setRecordings({ uuid, domain_name, leg, created_time }, found.map(asShown))
}

function asShown({ name, contentType = '', size = 0, state }: Recording): CdrRecording {
  return { name, contentType, size, state }
}
