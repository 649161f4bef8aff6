import { type ExportJob, type ExportKey } from './export-job.ts'
import { type ExportLines, exportLines, usualExportColumns } from './export-rows.ts'
import type { SearchPlan } from '../search-plan.ts'
import { type SearchRequest, readSearch } from '../search/search-request.ts'

/**
 * Returns the search of a job as of its creation: relative dates count from then. It finds nothing that its owner may
 * not find. Throws the errors of `readSearch`.
 */
export function exportSearch(job: ExportJob): { readonly plan: SearchPlan; readonly lines: ExportLines } {
  const scope = { domain: domainOf(job), since: job.since, presenceId: job.presenceId }
  const { plan, columns } = readSearch(requestOf(job), scope, job.createdAt)
  return { plan, lines: exportLines(job.format, columns ?? usualExportColumns) }
}

function domainOf({ domain }: ExportKey): string | null {
  return domain === '' ? null : domain
}

function requestOf({ request: { body, leg } }: ExportJob): SearchRequest {
  const members = typeof body === 'object' && body !== null ? Object.entries(body) : []
  const searched = members.filter(([name]) => !notSearched.has(name))
  return { body: Object.fromEntries(searched), leg: typeof leg === 'string' ? leg : undefined }
}

/** Members of a search that do not affect which rows there are. */
const notSearched: ReadonlySet<string> = new Set(['limit', 'pageNumber', 'aggs', 'scroll', 'format'])
