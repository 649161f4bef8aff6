import type { PortsOf } from '../ports.ts'
import type { Recording } from '../recordings/recording.ts'
import type { CdrPart, CdrRecording } from './cdr.ts'
import { cdrFromEvent } from './cdr-from-event.ts'
import { cdrFromPost, postDomainCandidates } from './cdr-from-post.ts'
import type { CdrNews, EventNews, PostNews } from './cdr-news.ts'
import type { CdrPlace } from './cdr-store.ts'

/** The ports of {@link indexNews}. */
export type IndexPorts = PortsOf<{
  readonly cdrs: readonly ['index', 'setRecordings']
  readonly domains: readonly ['read', 'readDeleted']
  readonly recordings: readonly ['list']
}>

/** How news ended: `nobody`: they are of no tenant. */
export type IndexEnd = 'indexed' | 'nobody' | { readonly refused: string }

/**
 * Takes news of a CDR into the index: what an ended leg told, with the recordings that it has by now, or its recordings
 * alone. The calls that a deletion hung up have their CDRs, too: they are kept until their retention ends, and whoever gets
 * the name finds none from before his own beginning. It can be done again, and in any order. Throws `search_unavailable`
 * or `store_unavailable` while it cannot be done.
 */
export async function indexNews(ports: IndexPorts, news: CdrNews): Promise<IndexEnd> {
  if (news.kind === 'recording') {
    const { uuid, domain, leg, createdTime } = news
    // Where the CDR is not there yet, whatever brings it reads the recordings, too.
    const place = { uuid, domain_name: domain, created_time: createdTime }
    // What the leg is may be known at its end only, after its recording.
    const isShown = await showRecordings(ports, { ...place, leg }, true)
    if (!isShown) await showRecordings(ports, { ...place, leg: leg === 'a' ? 'b' : 'a' }, true)
    return 'indexed'
  }
  const domain = await domainOf(ports, news)
  if (domain === undefined) return 'nobody'
  const part = partOf(news, domain)
  if (part === undefined) return { refused: 'it tells no usable time' }
  const [refused] = await ports.cdrs.index([part])
  if (refused !== undefined) return { refused: refused.reason }
  await showRecordings(ports, part.cdr, false)
  return 'indexed'
}

function partOf(news: EventNews | PostNews, domain: string): CdrPart | undefined {
  const leg = { domain, uuid: news.uuid, occurredAt: news.occurredAt, fields: news.fields }
  return news.kind === 'event' ? cdrFromEvent(leg) : cdrFromPost(leg)
}

/** The domain of an event was there when the connector took it; a post names what may be one, now or until a moment ago. */
async function domainOf({ domains }: IndexPorts, news: EventNews | PostNews): Promise<string | undefined> {
  if (news.kind === 'event') return news.domain
  for (const name of postDomainCandidates(news.fields)) {
    const found = (await domains.read(name)) ?? (await domains.readDeleted(name))
    if (found !== undefined) return name
  }
  return undefined
}

/** Shows what recordings there are with a CDR; `false` where there is none in that place. */
async function showRecordings({ cdrs, recordings }: IndexPorts, place: CdrPlace, evenNone: boolean): Promise<boolean> {
  const { uuid, domain_name, leg, created_time } = place
  const found = await recordings.list(domain_name, uuid)
  if (found.length === 0 && !evenNone) return true
  return cdrs.setRecordings({ uuid, domain_name, leg, created_time }, found.map(asShown))
}

function asShown({ name, contentType = '', size = 0, state }: Recording): CdrRecording {
  return { name, contentType, size, state }
}
