import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, it } from 'vitest'
import { type MemoryPorts, memoryPorts } from '../../support/memory/memory-ports.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import type { Cdr } from '../../../core/cdr/cdr.ts'
import { type ExportJob, exportKey } from '../../../core/cdr/exports/export-job.ts'
import { exportLines } from '../../../core/cdr/exports/export-rows.ts'
import { type WriteExportPorts, writeExport } from '../../../core/cdr/exports/write-export.ts'
import { DomainError } from '../../../core/errors.ts'
import type { SearchResponse } from '../../../core/cdr/search-plan.ts'
import { aCdr, aPlan } from '../../support/records/cdrs.ts'
import { type MovableClock, movableClock } from '../../support/processes/movable-clock.ts'
import { anExport } from '../../support/records/records.ts'

let clock: MovableClock
let ports: MemoryPorts
const job = anExport()

beforeEach(() => {
  clock = movableClock(job.createdAt)
  ports = memoryPorts({ clock, random: systemRandomness })
})

const work = (
  over: Partial<WriteExportPorts> = {},
  { until = Number.MAX_SAFE_INTEGER, given = job }: { until?: number; given?: ExportJob } = {},
) =>
  writeExport({ ...ports, ...over }, given, {
    clock,
    until,
    read: ({ format, domain }) => ({
      plan: aPlan({
        domain,
        sort: [
          { field: 'created_time', order: 'asc' },
          { field: 'uuid', order: 'asc' },
        ],
      }),
      lines: exportLines(format, ['uuid', 'variables.note']),
    }),
    sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
  })

const uuidOf = (index: number) => `c0ffee00-0000-4000-8000-${String(index).padStart(12, '0')}`

async function withCdrs(count: number, given: Partial<Cdr> = {}): Promise<void> {
  const cdrs = Array.from({ length: count }, (_, index) =>
    aCdr({ uuid: uuidOf(index), domain_name: job.domain, ...given }),
  )
  await ports.cdrs.index(cdrs.map((cdr) => ({ source: 'event', cdr })))
}

/** The uuids of the file, in its order, without the heading. */
function written(): (string | undefined)[] {
  const text = ports.exportFiles.files.get(exportKey(job))?.bytes.toString() ?? ''
  return text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[0])
}

const uuids = (count: number) => Array.from({ length: count }, (_, index) => uuidOf(index))

/** Rows of 9 KB: a page of them fills a part of the file. */
const large = { variables: { note: 'n'.repeat(9_000) } }

describe('an export', () => {
  it('an export is one file of every row, in the order of the search', async () => {
    await withCdrs(2345)
    await ports.exports.create(job)

    expect(await work()).toBe('done')
    expect(written()).toEqual(uuids(2345))
    expect(await ports.exports.read(job)).toMatchObject({
      state: 'done',
      size: ports.exportFiles.files.get(exportKey(job))?.bytes.length,
      progress: { rows: 2345 },
    })
    expect(ports.exportFiles.files.get(exportKey(job))?.contentType).toBe('text/csv; charset=utf-8')
  })

  it('an export without rows is a file with a heading', async () => {
    await ports.exports.create(job)

    expect(await work()).toBe('done')
    expect(ports.exportFiles.files.get(exportKey(job))?.bytes.toString()).toBe('uuid,variables.note\r\n')
  })

  it('an export contains rows of its own domain only', async () => {
    await withCdrs(3)
    await withCdrs(5, { domain_name: 'b.example.com' })
    await ports.exports.create(job)
    await work()

    expect(written()).toEqual(uuids(3))
  })

  it('a large export is stored in parts, each kept in memory only until it is stored', async () => {
    await withCdrs(3000, large)
    await ports.exports.create(job)
    const sizes: number[] = []
    const exportFiles = {
      ...ports.exportFiles,
      putPart: async (...given: Parameters<typeof ports.exportFiles.putPart>) => {
        sizes.push(given[2].size)
        return ports.exportFiles.putPart(...given)
      },
    }

    expect(await work({ exportFiles })).toBe('done')
    expect(written()).toEqual(uuids(3000))
    expect(sizes.length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThan(8 * 1024 * 1024 + 1000 * 9_100)
    expect(ports.exportFiles.openUploads()).toEqual([])
  })

  it('an export requests fewer rows at a time when an answer is too large', async () => {
    await withCdrs(1500)
    await ports.exports.create(job)
    const asked: number[] = []
    const cdrs: WriteExportPorts['cdrs'] = {
      search: async (plan, limitMs) => {
        asked.push(plan.limit)
        if (plan.limit > 300) throw new DomainError('payload_too_large', 'narrow it')
        return ports.cdrs.search(plan, limitMs)
      },
    }

    expect(await work({ cdrs })).toBe('done')
    expect(written()).toEqual(uuids(1500))
    expect(asked.slice(0, 4)).toEqual([1000, 500, 250, 250])
  })

  it('an export whose time is over queues the rest and continues after the last part', async () => {
    await withCdrs(3000, large)
    await ports.exports.create(job)
    const cdrs: WriteExportPorts['cdrs'] = {
      search: async (plan, limitMs) => {
        clock.move(1000)
        return ports.cdrs.search(plan, limitMs)
      },
    }

    expect(await work({ cdrs }, { until: clock.now() + 1000 })).toBe('queued again')
    expect(ports.exportQueue.queued).toEqual([{ domain: job.domain, id: job.id }])
    expect((await ports.exports.read(job))?.progress.rows).toBe(1000)
    expect(await work()).toBe('done')
    expect(written()).toEqual(uuids(3000))
  })

  it('an export whose time is over keeps the rows that are enough for a part, so that slow searches bring it to its end', async () => {
    await withCdrs(2500, { variables: { note: 'n'.repeat(6_000) } })
    await ports.exports.create(job)
    const cdrs: WriteExportPorts['cdrs'] = {
      search: async (plan, limitMs) => {
        clock.move(1000)
        return ports.cdrs.search(plan, limitMs)
      },
    }

    const ends: string[] = []
    for (let runs = 0; runs < 5; runs += 1) ends.push(await work({ cdrs }, { until: clock.now() + 1000 }))

    expect(ends).toEqual(['queued again', 'queued again', 'done', 'over', 'over'])
    expect(written()).toEqual(uuids(2500))
  })

  it('a completed export is not executed again', async () => {
    await ports.exports.create(job)
    await work()
    await withCdrs(1)

    expect(await work()).toBe('over')
    expect(written()).toEqual([])
  })

  it('an export that is a day old is not executed', async () => {
    await ports.exports.create(job)
    clock.move(86_400_000)

    expect(await work()).toBe('over')
  })

  /** Searches that have seen only a part. */
  const partial = (given: Partial<SearchResponse>): WriteExportPorts['cdrs'] => ({
    search: async (plan, limitMs) => ({ ...(await ports.cdrs.search(plan, limitMs)), ...given }),
  })

  it('an export is repeated rather than written without rows that a search has not seen', async () => {
    await ports.exports.create(job)
    const cdrs = partial({ shards: { total: 2, successful: 1, skipped: 0, failed: 1 } })

    await expect(work({ cdrs })).rejects.toMatchObject({ code: 'search_unavailable' })
    expect((await ports.exports.read(job))?.state).toBe('queued')
  })

  it('an export whose search the store stopped for its length has failed, since it would take as long again', async () => {
    await ports.exports.create(job)

    expect(await work({ cdrs: partial({ timedOut: true }) })).toBe('failed')
    expect(await ports.exports.read(job)).toMatchObject({ state: 'failed', reason: expect.stringContaining('narrow') })
  })

  it('an export that can never succeed has failed, with the reason', async () => {
    await ports.exports.create(job)
    const cdrs: WriteExportPorts['cdrs'] = {
      search: async () => {
        throw new DomainError('search_timeout', 'the search took longer than 60 s, narrow it')
      },
    }

    expect(await work({ cdrs })).toBe('failed')
    expect(await ports.exports.read(job)).toMatchObject({
      state: 'failed',
      reason: 'the search took longer than 60 s, narrow it',
    })
  })
})

describe('a run of an export that another run has overtaken', () => {
  /** Has another run record its progress before this one records for the n-th time. */
  const overtakenAt = (count: number): WriteExportPorts['exports'] => {
    let left = count
    const replace = async (next: ExportJob) => {
      left -= 1
      const stored = left === 0 ? await ports.exports.read(next) : undefined
      if (stored !== undefined) await ports.exports.replace({ ...stored, version: stored.version + 1 })
      return ports.exports.replace(next)
    }
    return { ...ports.exports, replace }
  }
  const lost = { progress: { uploadId: 'forgotten', parts: [], rows: 0 } }

  it.each([
    ['stores a part', 3_000, 9_000, 1, {}, { asked: 1, hasFile: false }],
    ['stores its last part', 1_050, 9_000, 2, {}, { asked: 2, hasFile: false }],
    ['has written a file of one part', 3, 1, 1, {}, { asked: 1, hasFile: true }],
    ['keeps rows for the next run', 2_000, 6_000, 1, { until: 1 }, { asked: 1, hasFile: false }],
    ['begins again', 3, 1, 1, { job: lost }, { asked: 0, hasFile: false }],
    ['fails', 3, 1, 1, { isRefused: true }, { asked: 1, hasFile: false }],
  ])('a run that is overtaken when it %s ends at once', async (_when, rows, length, count, given, expected) => {
    const { until, job: changed, isRefused }: { until?: number; job?: Partial<ExportJob>; isRefused?: boolean } = given
    await withCdrs(rows, { variables: { note: 'n'.repeat(length) } })
    await ports.exports.create({ ...job, ...changed })
    let asked = 0
    const search: WriteExportPorts['cdrs']['search'] = async (...of) => {
      asked += 1
      clock.move(1)
      if (isRefused === true) throw new DomainError('search_timeout', 'narrow it')
      return ports.cdrs.search(...of)
    }

    const end = await work(
      { exports: overtakenAt(count), cdrs: { search } },
      until === undefined ? {} : { until: clock.now() + until },
    )

    expect(end).toBe('overtaken')
    expect({ asked, hasFile: ports.exportFiles.files.has(exportKey(job)) }).toEqual(expected)
    expect([ports.exportQueue.queued, (await ports.exports.read(job))?.reason]).toEqual([[], undefined])
  })
})

/** Calls that a run over {@link large} rows in two parts makes to stores. */
const lastStep = 11

describe('an export that is killed after any of its steps', () => {
  /** Every call that a run makes to a store, killed after the n-th was done. */
  function dyingAfter(steps: number): WriteExportPorts {
    let left = steps
    const counted = <P extends object>(port: P): P =>
      new Proxy(port, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name)
          if (typeof value !== 'function') return value
          return async (...given: unknown[]) => {
            if (left === 0) throw new Error('killed')
            const answer: unknown = await Reflect.apply(value, target, given)
            left -= 1
            if (left === 0) throw new Error('killed')
            return answer
          }
        },
      })
    return {
      ...ports,
      exports: counted(ports.exports),
      exportFiles: counted(ports.exportFiles),
      cdrs: counted(ports.cdrs),
    }
  }

  it.each(Array.from({ length: lastStep }, (_, index) => index + 1))(
    'an export that is killed after step %i is made again as the same file by the next run',
    async (steps) => {
      await withCdrs(1050, large)
      await ports.exports.create(job)
      await expect(work(dyingAfter(steps))).rejects.toThrow('killed')

      expect(await work()).toBe(steps === lastStep ? 'over' : 'done')
      expect(written()).toEqual(uuids(1050))
      expect((await ports.exports.read(job))?.state).toBe('done')
    },
  )

  it('an export starts again if an overtaken run has replaced one of its parts', async () => {
    await withCdrs(2500, large)
    await ports.exports.create(job)
    let isReplaced = false
    const exportFiles: WriteExportPorts['exportFiles'] = {
      ...ports.exportFiles,
      completeUpload: async (upload, parts) => {
        const bytes = Buffer.from('what the other run had found by then')
        const sha256 = createHash('sha256').update(bytes).digest('hex')
        const body = { bytes: Readable.from([bytes]), size: bytes.length, sha256 }
        if (!isReplaced) await ports.exportFiles.putPart(upload, 1, body)
        isReplaced = true
        return ports.exportFiles.completeUpload(upload, parts)
      },
    }

    await expect(work({ exportFiles })).rejects.toMatchObject({ code: 'store_unavailable' })

    expect(await work({ exportFiles })).toBe('done')
    expect(written()).toEqual(uuids(2500))
  })

  it('two simultaneous runs of an export make one file', async () => {
    await withCdrs(2500, large)
    await ports.exports.create(job)
    const ends = await Promise.all([work(), work()])

    expect(ends).toContain('done')
    await work()
    expect(written()).toEqual(uuids(2500))
    expect((await ports.exports.read(job))?.state).toBe('done')
  })
})
