import { DomainError } from '../../errors.ts'
import type { CdrStore } from '../cdr-store.ts'
import type { Clock } from '../../time.ts'
import { type FileBody, type UploadedPart, minPartBytes, type FileStore } from '../../recordings/file-store.ts'
import {
  exportKey,
  maxExportRows,
  type ExportJob,
  type ExportKey,
  type ExportProgress,
  type ExportQueue,
  type ExportStore,
} from './export-job.ts'
import { type ExportLines, exportTypes } from './export-rows.ts'
import type { SearchResponse, SearchPlan } from '../search-plan.ts'

/** The ports of {@link writeExport}. */
export interface WriteExportPorts {
  readonly exports: Pick<ExportStore, 'read' | 'replace'>
  readonly exportQueue: Pick<ExportQueue, 'send'>
  readonly exportFiles: Pick<FileStore, 'beginUpload' | 'putPart' | 'listParts' | 'completeUpload' | 'put' | 'head'>
  readonly cdrs: Pick<CdrStore, 'search'>
}

/** The dependencies of an export in addition to its ports. */
export interface WriteExportDeps {
  readonly clock: Clock
  /** The moment after which no page of rows is begun, epoch milliseconds: the rest is queued. */
  readonly until: number
  /** Returns the search of a job and the format of its rows. Throws a `DomainError` that the owner sees. */
  readonly read: (job: ExportJob) => { readonly plan: SearchPlan; readonly lines: ExportLines }
  readonly sha256: (bytes: Uint8Array) => string
}

/** Rows of one search; halved while an answer is too large for the search store's port. */
const pageRows = 1000

/** The time limit of one search: no client waits for it, and a slower search would be as slow the next time. */
export const searchMs = 60_000

/** The size from which gathered lines become a part of the file; with one page, all that memory holds: 8 MiB. */
const partBytes = 8 * 1024 * 1024

/** The result of a run. `over`: the job had ended before, or is gone. */
export type ExportOutcome = 'done' | 'failed' | 'queued again' | 'overtaken' | 'over'

/**
 * Works on an export: searches page by page and stores the lines in parts of a file, so that no more than one part is
 * held in memory. The progress is recorded after each part, and the next run continues from there. If two runs work on
 * one job, the second to record a part stops. A search that has not seen everything fails the run, which is then
 * repeated: rows are never left out silently.
 */
export async function writeExport(
  ports: WriteExportPorts,
  place: ExportKey,
  tools: WriteExportDeps,
): Promise<ExportOutcome> {
  const job = await ports.exports.read(place)
  if (job === undefined || job.state === 'done' || job.state === 'failed') return 'over'
  try {
    return await new ExportRun(ports, job, tools).run()
  } catch (error) {
    if (!isFinal(error)) throw error
    return fail(ports, job, error.message)
  }
}

/** Refusals of the request itself: a repetition would end the same way. */
function isFinal(error: unknown): error is DomainError {
  return (
    error instanceof DomainError &&
    ['query_refused', 'invalid_field', 'bad_request', 'search_timeout'].includes(error.code)
  )
}

async function fail({ exports }: WriteExportPorts, place: ExportKey, reason: string): Promise<ExportOutcome> {
  const job = await exports.read(place)
  if (job === undefined) return 'over'
  const isRecorded = await exports.replace({ ...job, state: 'failed', reason, version: job.version + 1 })
  return isRecorded ? 'failed' : 'overtaken'
}

class ExportRun {
  readonly #ports: WriteExportPorts
  readonly #tools: WriteExportDeps
  readonly #plan: SearchPlan
  readonly #lines: ExportLines
  readonly #encoder = new TextEncoder()
  #job: ExportJob
  #pageRows = pageRows
  #gathered: Uint8Array[] = []
  #bytes = 0
  #rows = 0
  #after: ExportProgress['after']

  constructor(ports: WriteExportPorts, job: ExportJob, tools: WriteExportDeps) {
    this.#ports = ports
    this.#tools = tools
    this.#job = job
    const { plan, lines } = tools.read(job)
    this.#plan = plan
    this.#lines = lines
  }

  async run(): Promise<ExportOutcome> {
    const finished = await this.#takeUp()
    if (finished !== undefined) return finished
    for (;;) {
      if (this.#tools.clock.now() >= this.#tools.until) return this.#queueRest()
      const isLast = await this.#gatherPage()
      if (isLast) return this.#finish()
      if (this.#bytes >= partBytes && !(await this.#storePart())) return 'overtaken'
    }
  }

  /**
   * Continues after the last run. If the store does not know the upload any more, it was completed, or the export is
   * begun again.
   */
  async #takeUp(): Promise<ExportOutcome | undefined> {
    const { progress } = this.#job
    const key = exportKey(this.#job)
    if (progress.uploadId !== undefined) {
      const upload = { key, uploadId: progress.uploadId }
      if ((await this.#ports.exportFiles.listParts(upload)) === undefined) {
        const head = await this.#ports.exportFiles.head(key)
        if (head !== undefined) return this.#end(head.size, progress)
        if (!(await this.#record({ progress: { parts: [], rows: 0 } }))) return 'overtaken'
      }
    }
    this.#rows = this.#job.progress.rows
    this.#after = this.#job.progress.after
    if (this.#job.progress.parts.length === 0) this.#gather(this.#lines.heading)
    return undefined
  }

  async #gatherPage(): Promise<boolean> {
    const limit = Math.min(this.#pageRows, maxExportRows - this.#rows)
    const answer = await this.#search(limit)
    if (answer === undefined) return false
    for (const { cdr } of answer.hits) this.#gather(this.#lines.line(cdr))
    this.#rows += answer.hits.length
    this.#after = answer.hits.at(-1)?.sort ?? this.#after
    return answer.hits.length < limit || this.#rows >= maxExportRows
  }

  async #search(limit: number): Promise<SearchResponse | undefined> {
    try {
      const plan = { ...this.#plan, limit, skip: 0, after: this.#after, aggregations: undefined }
      const answer = await this.#ports.cdrs.search(plan, searchMs)
      if (answer.timedOut) throw new DomainError('search_timeout', 'the search takes too long: narrow it')
      if (answer.shards.failed === 0) return answer
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'payload_too_large') || limit === 1) throw error
      this.#pageRows = Math.ceil(limit / 2)
      return undefined
    }
    throw new DomainError('search_unavailable', 'a part of the CDRs cannot be searched now')
  }

  #gather(text: string): void {
    const bytes = this.#encoder.encode(text)
    this.#gathered.push(bytes)
    this.#bytes += bytes.length
  }

  /** Stores the gathered lines as the next part and records it; returns `false` when another run was first. */
  async #storePart(): Promise<boolean> {
    const { progress } = this.#job
    const key = exportKey(this.#job)
    const contentType = exportTypes[this.#job.format]
    const upload =
      progress.uploadId === undefined
        ? await this.#ports.exportFiles.beginUpload(key, contentType)
        : { key, uploadId: progress.uploadId }
    const part = await this.#ports.exportFiles.putPart(upload, progress.parts.length + 1, this.#body())
    const parts: readonly UploadedPart[] = [...progress.parts, part]
    this.#gathered = []
    this.#bytes = 0
    return this.#record({
      state: 'running',
      progress: { uploadId: upload.uploadId, parts, rows: this.#rows, after: this.#after },
    })
  }

  async #finish(): Promise<ExportOutcome> {
    const { exportFiles } = this.#ports
    const key = exportKey(this.#job)
    if (this.#job.progress.uploadId === undefined) {
      const body = this.#body()
      await exportFiles.put(key, exportTypes[this.#job.format], body)
      return this.#end(body.size, { parts: [], rows: this.#rows })
    }
    if (this.#bytes > 0 && !(await this.#storePart())) return 'overtaken'
    const { progress } = this.#job
    const { uploadId = '', parts } = progress
    // An unknown upload was completed by another run of this job a moment ago.
    await exportFiles.completeUpload({ key, uploadId }, parts)
    const head = await exportFiles.head(key)
    if (head !== undefined) return this.#end(head.size, progress)
    // Another run replaced a part before it noticed that it was overtaken: these parts never become a file.
    await this.#record({ progress: { parts: [], rows: 0 } })
    throw new DomainError('store_unavailable', 'the file of an export was not kept')
  }

  async #end(size: number, progress: ExportProgress): Promise<ExportOutcome> {
    const { rows, after } = progress
    return (await this.#record({ state: 'done', size, progress: { parts: [], rows, after } })) ? 'done' : 'overtaken'
  }

  async #queueRest(): Promise<ExportOutcome> {
    if (this.#bytes >= minPartBytes && !(await this.#storePart())) return 'overtaken'
    await this.#ports.exportQueue.send({ domain: this.#job.domain, id: this.#job.id })
    return 'queued again'
  }

  async #record(change: Partial<ExportJob>): Promise<boolean> {
    const next: ExportJob = { ...this.#job, ...change, version: this.#job.version + 1 }
    if (!(await this.#ports.exports.replace(next))) return false
    this.#job = next
    return true
  }

  #body(): FileBody {
    const pieces = this.#gathered
    const bytes = new Uint8Array(this.#bytes)
    let at = 0
    for (const piece of pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
    return { bytes: once(bytes), size: bytes.length, sha256: this.#tools.sha256(bytes) }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
