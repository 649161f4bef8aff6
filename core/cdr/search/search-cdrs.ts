import type { Clock } from '../../time.ts'
import type { CdrStore } from '../cdr-store.ts'
import { type SearchReply, presentAnswer } from './present-answer.ts'
import { type ScrollSigner, readScroll, scrollLifeMs, writeScroll } from './scroll.ts'
import { type SearchRequest, readSearch } from './search-request.ts'
import type { SearchScope } from './search-scope.ts'

/** The searching caller, and the CDRs that it may find. */
export interface SearchCaller extends SearchScope {
  readonly username: string
}

/** The dependencies of searches. */
export interface SearchDeps {
  readonly cdrs: Pick<CdrStore, 'search'>
  readonly clock: Clock
  readonly signer: ScrollSigner
}

/** The time limit of a search in the store. */
export const searchLimitMs = 10_000

/**
 * Searches for CDRs. Throws the errors of {@link readSearch}, `search_timeout`, `search_unavailable`, and
 * `payload_too_large` for an answer above 6 MB.
 */
export async function searchCdrs(
  tools: SearchDeps,
  caller: SearchCaller,
  request: SearchRequest,
): Promise<SearchReply> {
  const startedAt = tools.clock.now()
  return answered(tools, caller, request, { startedAt, isFirst: true })
}

/** Returns the next page of a search that was begun with `scroll`. Also throws the errors of {@link readScroll}. */
export async function scrollCdrs(tools: SearchDeps, caller: SearchCaller, scrollId: string): Promise<SearchReply> {
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
  tools: SearchDeps,
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
