import type { UploadedPart } from '../../recordings/file-store.ts'

/** The forms of an export. */
export const exportFormats = ['csv', 'jsonl'] as const

/** One of {@link exportFormats}. */
export type ExportFormat = (typeof exportFormats)[number]

/** The most rows of an export. */
export const maxExportRows = 1_000_000

/** The lifetime of a job, its file and the right to request a link to it: a day. */
export const exportLifeMs = 86_400_000

/** The identity of an export. */
export interface ExportKey {
  /** The domain whose CDRs are exported; empty if root exports those of all. */
  readonly domain: string
  /** UUID. */
  readonly id: string
}

/** The progress of an export; the next run continues from here. */
export interface ExportProgress {
  /** The id of the multipart upload, once there are rows for more than one part. */
  readonly uploadId?: string | undefined
  readonly parts: readonly UploadedPart[]
  readonly rows: number
  /** The sort values of the last of them; absent before the first. */
  readonly after?: readonly (string | number | boolean | null)[] | undefined
}

/** One export of CDRs, from its request to the file. */
export interface ExportJob extends ExportKey {
  /** The username that requested it, and the only one that sees it. */
  readonly owner: string
  /** Epoch milliseconds; the start of relative times in the request. */
  readonly createdAt: number
  readonly format: ExportFormat
  readonly request: Readonly<Record<string, unknown>>
  /** Only CDRs of this presence id are exported: for callers that may see only their own calls. */
  readonly presenceId?: string | undefined
  /** Only CDRs of legs that began at or after this time are exported, epoch milliseconds; all by default. */
  readonly since?: number | undefined
  readonly state: 'queued' | 'running' | 'done' | 'failed'
  readonly progress: ExportProgress
  /** Bytes of the file; once it is done. */
  readonly size?: number | undefined
  readonly reason?: string | undefined
  /** 1 at first; rises by one with each change. */
  readonly version: number
}

/** Returns the object key of an export's file. */
export function exportKey({ domain, id }: ExportKey): string {
  return `${domain === '' ? 'all-domains' : `of/${domain}`}/${id}`
}

/** Exports of CDRs; each is kept for {@link exportLifeMs}. Reads are consistent. */
export interface ExportStore {
  /** Writes a new job; if the request is repeated, the existing job stays. */
  create(job: ExportJob): Promise<void>
  read(place: ExportKey): Promise<ExportJob | undefined>
  /**
   * Replaces a job whose version is still `job.version - 1`; returns `false` when another run was first, or the job is
   * gone.
   */
  replace(job: ExportJob): Promise<boolean>
  /** Lists the jobs of a domain: some hundreds at most, since each lasts a day. */
  list(domain: string): Promise<ExportJob[]>
  /** Removes a job, which ends a run that works on it. */
  remove(place: ExportKey): Promise<void>
}

/** The queue of exports to work on. */
export interface ExportQueue {
  send(place: ExportKey): Promise<void>
}
