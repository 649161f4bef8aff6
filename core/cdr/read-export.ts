import { DomainError } from '../errors.ts'
import type { PortsOf } from '../ports.ts'
import { type ExportJob, exportKey } from './export-job.ts'
import { exportTypes } from './export-rows.ts'
import type { SearchCaller } from './search-cdrs.ts'

/** The ports of {@link readExport}. */
export type ReadExportPorts = PortsOf<{
  readonly exports: readonly ['read']
  readonly exportFiles: readonly ['sign']
}>

/** An export as its owner sees it. Moments are epoch milliseconds. */
export interface ShownExport {
  readonly jobId: string
  readonly state: ExportJob['state']
  readonly format: ExportJob['format']
  readonly createdOn: number
  /** Rows that are in the file so far. */
  readonly rows: number
  /** Bytes of the file. */
  readonly size?: number
  readonly url?: string
  /** When the link ends. */
  readonly expires?: number
  readonly reason?: string
}

/** How long a link to the file of an export is good for, from the contract. */
const linkSeconds = 3600

/**
 * How far an export is, with a link to its file once it is done. Throws `not_found` for one that is not there (any more,
 * after a day), is of another domain or an earlier one of its name, was asked for by somebody else, or holds more than
 * his own calls, which are all that its owner may see by now.
 */
export async function readExport(
  { exports, exportFiles }: ReadExportPorts,
  { domain, since = -Infinity, username, presenceId }: SearchCaller,
  id: string,
): Promise<ShownExport> {
  const job = await exports.read({ domain: domain ?? '', id })
  const isOwn = job?.owner === username && (presenceId === undefined || job.presenceId === presenceId)
  if (!isOwn || job.createdAt < since) throw new DomainError('not_found', `there is no export ${id}`)
  const { state, format, createdAt, progress, size, reason } = job
  const shown = { jobId: id, state, format, createdOn: createdAt, rows: progress.rows }
  if (state === 'failed') return { ...shown, ...(reason === undefined ? {} : { reason }) }
  if (state !== 'done' || size === undefined) return shown
  const link = await exportFiles.sign({
    key: exportKey(job),
    contentType: exportTypes[format],
    disposition: `attachment; filename="cdr-${new Date(createdAt).toISOString().slice(0, 10)}.${format}"`,
    seconds: linkSeconds,
  })
  return { ...shown, size, ...link }
}
