import type { Clock } from '../ports.ts'
import type { CdrStore } from './cdr-store.ts'
import { type SearchReply, presentAnswer } from './search/present-answer.ts'
import { type ScrollSigner, readScroll, scrollLifeMs, writeScroll } from './search/scroll.ts'
import { type SearchRequest, readSearch } from './search/search-request.ts'
import type { SearchScope } from './search/search-scope.ts'

/** Who searches, and what he may find. */
export interface SearchCaller extends SearchScope {
  readonly username: string
}

/** What searches need. */
export interface SearchTools {
  readonly cdrs: Pick<CdrStore, 'search'>
  readonly clock: Clock
  readonly signer: ScrollSigner
}

/** How long the store may search. */
export const searchLimitMs = 10_000

/**
 * Searches for CDRs. Throws what {@link readSearch} throws, `search_timeout`, `search_unavailable`, and
 * `payload_too_large` for an answer above 6 MB.
 */
export async function searchCdrs(
  tools: SearchTools,
  caller: SearchCaller,
  request: SearchRequest,
): Promise<SearchReply> {
  const startedAt = tools.clock.now()
  return answered(tools, caller, request, { startedAt, isFirst: true })
}

/** Gives the next page of a search that was begun with `scroll`. Throws what {@link readScroll} throws besides. */
export async function scrollCdrs(tools: SearchTools, caller: SearchCaller, scrollId: string): Promise<SearchReply> {
  const by = { caller: caller.username, domain: caller.domain, now: tools.clock.now() }
  const { domain, since, request, startedAt, after } = await readScroll(scrollId, by, tools.signer)
  const scrolled = { ...request, body: { ...request.body, scroll: true } }
  const scope = { domain, since: caller.since ?? since }
  return answered(tools, { ...caller, ...scope }, scrolled, { startedAt, isFirst: false, after })
}

interface Page {
  readonly startedAt: number
  readonly isFirst: boolean
  readonly after?: readonly (string | number | boolean | null)[]
}

async function answered(
  tools: SearchTools,
  caller: SearchCaller,
  request: SearchRequest,
  page: Page,
): Promise<SearchReply> {
  const read = readSearch(request, caller, page.startedAt)
  const plan = page.isFirst ? read.plan : { ...read.plan, skip: 0, after: page.after }
  const answer = await tools.cdrs.search(plan, searchLimitMs)
  const last = answer.hits.at(-1)
  const hasMore = read.isScrolled && last !== undefined && answer.hits.length === plan.limit
  if (!hasMore) return presentAnswer(answer, read, undefined)
  const position = {
    caller: caller.username,
    domain: caller.domain,
    since: caller.since,
    request,
    startedAt: page.startedAt,
    expiresAt: tools.clock.now() + scrollLifeMs,
    after: last.sort,
  }
  return presentAnswer(answer, read, await writeScroll(position, tools.signer))
}
