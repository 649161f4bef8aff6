import { DomainError } from '../../errors.ts'
import type { FileStore } from '../../recordings/file-store.ts'
import { type ExportJob, exportKey, type ExportStore } from './export-job.ts'
import { exportTypes } from './export-rows.ts'
import type { SearchCaller } from '../search/search-cdrs.ts'

/** The ports of {@link readExport}. */
export interface ReadExportPorts {
  readonly exports: Pick<ExportStore, 'read'>
  readonly exportFiles: Pick<FileStore, 'sign'>
}

/** An export as its owner sees it. Moments are epoch milliseconds. */
export interface ShownExport {
  readonly jobId: string
  readonly state: ExportJob['state']
  readonly format: ExportJob['format']
  readonly createdOn: number
  readonly rows: number
  /** Bytes of the file. */
  readonly size?: number
  readonly url?: string
  /** The end of the link, epoch milliseconds. */
  readonly expires?: number
  readonly reason?: string
}

/** The lifetime of a link to the file of an export, from the contract. */
const linkSeconds = 3600

/**
 * Returns the progress of an export, with a link to its file once it is done. Throws `not_found` when it does not exist
 * (any more, after a day), belongs to another domain or an earlier one of the same name, was requested by another user,
 * or contains more than the caller's own calls although the owner may now see only those.
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
