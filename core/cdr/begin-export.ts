import { invalidField } from '../errors.ts'
import { rateLimited } from '../limits/allowance.ts'
import type { Clock, PortsOf, Randomness } from '../ports.ts'
import { type ExportFormat, exportFormats } from './export-job.ts'
import { type SearchRequest, readSearch } from './search/search-request.ts'
import type { SearchCaller } from './search-cdrs.ts'

/** The ports of {@link beginExport}. */
export type BeginExportPorts = PortsOf<{
  readonly exports: readonly ['create']
  readonly exportQueue: readonly ['send']
  readonly rateLimits: readonly ['takeInWindow']
}>

/** Exports that may be asked for in a domain. */
const exportsAnHour = { limit: 30, windowMs: 3_600_000 } as const

/** An export as it is asked for: a search, its format, and its leg beside it. */
export interface ExportRequest extends SearchRequest {
  readonly format: string | undefined
}

/**
 * Queues an export of all that a search finds, and answers the id of its job. The search is judged at once: throws what
 * `readSearch` throws, `invalid_field` for a format that is none, and `rate_limited` where the domain has asked for
 * 30 within an hour. Limit, page and aggregations of the search do not matter.
 */
export async function beginExport(
  ports: BeginExportPorts,
  caller: SearchCaller,
  asked: ExportRequest,
  { clock, random }: { readonly clock: Clock; readonly random: Randomness },
): Promise<string> {
  const createdAt = clock.now()
  const format = formatOf(asked.format)
  readSearch(asked, caller, createdAt)
  const domain = caller.domain ?? ''
  const verdict = await ports.rateLimits.takeInWindow(`export:${domain}`, exportsAnHour, createdAt)
  if (!verdict.isAllowed) throw rateLimited(verdict, `${exportsAnHour.limit} exports were asked for within an hour`)
  const id = random.uuid()
  const { username: owner, presenceId, since } = caller
  await ports.exports.create({
    domain,
    id,
    owner,
    createdAt,
    format,
    request: { body: asked.body, ...(asked.leg === undefined ? {} : { leg: asked.leg }) },
    presenceId,
    since,
    state: 'queued',
    progress: { parts: [], rows: 0 },
    version: 1,
  })
  await ports.exportQueue.send({ domain, id })
  return id
}

function formatOf(given: string | undefined): ExportFormat {
  const format = exportFormats.find((known) => known === (given ?? 'csv'))
  if (format === undefined) throw invalidField('format', `must be ${exportFormats.join(' or ')}`)
  return format
}
