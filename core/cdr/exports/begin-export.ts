import { invalidField } from '../../errors.ts'
import { type RateLimitStore, rateLimited } from '../../requests/rate-limit.ts'
import type { Clock, Randomness } from '../../time.ts'
import { type ExportFormat, type ExportQueue, type ExportStore, exportFormats } from './export-job.ts'
import { type SearchRequest, readSearch } from '../search/search-request.ts'
import type { SearchCaller } from '../search/search-cdrs.ts'

/** The ports of {@link beginExport}. */
export interface BeginExportPorts {
  readonly exports: Pick<ExportStore, 'create'>
  readonly exportQueue: Pick<ExportQueue, 'send'>
  readonly rateLimits: Pick<RateLimitStore, 'takeInWindow'>
}

const exportsAnHour = { limit: 30, windowMs: 3_600_000 } as const

/** A requested export: a search with the query parameter `leg`, and its format. */
export interface ExportRequest extends SearchRequest {
  readonly format: string | undefined
}

/**
 * Queues an export of all results of a search, and returns the id of its job. The search is checked at once: throws the
 * errors of `readSearch`, `invalid_field` for an unknown format, and `rate_limited` when the domain has requested 30
 * within an hour. Limit, page and aggregations of the search are ignored.
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
