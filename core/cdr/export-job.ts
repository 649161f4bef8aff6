import type { UploadedPart } from '../recordings/file-store.ts'

/** The forms of an export. */
export const exportFormats = ['csv', 'jsonl'] as const

/** One of {@link exportFormats}. */
export type ExportFormat = (typeof exportFormats)[number]

/** The most rows of an export. */
export const maxExportRows = 1_000_000

/** How long a job, its file and the right to ask for a link to it last: a day. */
export const exportLifeMs = 86_400_000

/** Which export. */
export interface ExportPlace {
  /** The domain whose CDRs are exported; empty where root exports those of all. */
  readonly domain: string
  /** UUID. */
  readonly id: string
}

/** How far an export has come; a run that takes it over goes on from here. */
export interface ExportProgress {
  /** The upload in parts, once there is more than one part's worth of rows. */
  readonly uploadId?: string | undefined
  readonly parts: readonly UploadedPart[]
  /** Rows in these parts. */
  readonly rows: number
  /** The sort values of the last of them; absent before the first. */
  readonly after?: readonly (string | number | boolean | null)[] | undefined
}

/** One export of CDRs, from its request to the file. */
export interface ExportJob extends ExportPlace {
  /** Who asked for it, and alone is told of it. */
  readonly owner: string
  /** Epoch milliseconds; relative times of the request are meant from here. */
  readonly createdAt: number
  readonly format: ExportFormat
  /** The search request as it was asked for and found to be good. */
  readonly request: Readonly<Record<string, unknown>>
  /** Only CDRs of this presence id are exported: callers who may see just their own calls. */
  readonly presenceId?: string | undefined
  /** Only CDRs of legs that began then or later are exported, epoch milliseconds; all where absent. */
  readonly since?: number | undefined
  readonly state: 'queued' | 'running' | 'done' | 'failed'
  readonly progress: ExportProgress
  /** Bytes of the file; once it is done. */
  readonly size?: number | undefined
  /** Why it failed, for its owner. */
  readonly reason?: string | undefined
  /** 1 at first, one more with each change. */
  readonly version: number
}

/** Where the file of an export is in its bucket. */
export function exportKey({ domain, id }: ExportPlace): string {
  return `${domain === '' ? 'all-domains' : `of/${domain}`}/${id}`
}

/** Exports of CDRs; each is kept for {@link exportLifeMs}. Reads are consistent. */
export interface ExportStore {
  /** Writes a new job; one of this place is there already when the request is repeated, and stays. */
  create(job: ExportJob): Promise<void>
  read(place: ExportPlace): Promise<ExportJob | undefined>
  /** Replaces a job whose version is still `job.version - 1`; `false` when another run was first, or it is gone. */
  replace(job: ExportJob): Promise<boolean>
}

/** Exports that are to be worked on. */
export interface ExportQueue {
  /** Queues a job to be begun, or to be gone on with. */
  send(place: ExportPlace): Promise<void>
}
