import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { type ExportJob, exportLifeMs } from '../../core/cdr/exports/export-job.ts'
import { opened } from '../support/processes/opened.ts'
import { anExport } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

const part = { number: 1, size: 6_000_000, sha256: 'ab'.repeat(32), etag: '"1"' }

/** The contract of every {@link ExportStore}. */
export function exportStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const aJob = (given: Partial<ExportJob> = {}) =>
    anExport({ id: randomUUID(), createdAt: stores().clock.now(), ...given })

  test('an export job is read back unchanged, whatever its request contains', async () => {
    const request = JSON.parse('{"filter":{"term":{"__proto__":"x","variables.a.b":[1,null,true]}},"":"|%"}')
    const job = aJob({ request, presenceId: '1000@a.example.com' })
    await stores().exports.create(job)

    expect(await stores().elsewhere.exports.read(job)).toEqual(job)
  })

  test('the export job of a repeated request stays unchanged', async () => {
    const job = aJob()
    await stores().exports.create(job)
    const begun: ExportJob = { ...job, state: 'running', version: 2 }
    await stores().exports.replace(begun)
    await stores().exports.create(job)

    expect(await stores().exports.read(job)).toEqual(begun)
  })

  test('the progress of an export is stored, and a run that another one has overtaken is refused', async () => {
    const job = aJob()
    await stores().exports.create(job)
    const next: ExportJob = {
      ...job,
      state: 'running',
      progress: { uploadId: 'up', parts: [part], rows: 1000, after: [1.5, null, true, 'x'] },
      version: 2,
    }

    expect(await stores().exports.replace(next)).toBe(true)
    expect(await stores().elsewhere.exports.replace({ ...next, state: 'failed', reason: 'late' })).toBe(false)
    expect(await stores().exports.read(job)).toEqual(next)
    expect(await stores().exports.replace({ ...next, state: 'done', size: 7, version: 3 })).toBe(true)
  })

  test('an export job is found in its own domain only, and a job over all domains in none', async () => {
    const job = aJob()
    const ofAll = aJob({ domain: '' })
    await stores().exports.create(job)
    await stores().exports.create(ofAll)

    expect(await stores().exports.read({ ...job, domain: 'b.example.com' })).toBeUndefined()
    expect(await stores().exports.read({ ...job, domain: '' })).toBeUndefined()
    expect(await stores().exports.read({ ...ofAll, domain: 'a.example.com' })).toBeUndefined()
    expect(await stores().exports.read(ofAll)).toEqual(ofAll)
  })

  test('an export job is deleted a day after it was requested', async () => {
    const job = aJob()
    await stores().exports.create(job)
    stores().clock.move(exportLifeMs - 1000)
    expect(await stores().exports.read(job)).toBeDefined()
    stores().clock.move(1000)

    expect(await stores().exports.read(job)).toBeUndefined()
  })

  test('the export jobs of a domain are listed, and a removed one is gone and is not replaced', async () => {
    const [one, other, ofAnother] = [aJob(), aJob(), aJob({ domain: 'b.example.com' })]
    for (const job of [one, other, ofAnother]) await stores().exports.create(job)
    await stores().exports.remove(one)
    await stores().exports.remove(one)

    expect((await stores().exports.list('a.example.com')).map(({ id }) => id)).toEqual(
      expect.arrayContaining([other.id]),
    )
    expect((await stores().exports.list('a.example.com')).map(({ id }) => id)).not.toContain(one.id)
    expect(await stores().exports.list('b.example.com')).toMatchObject([{ id: ofAnother.id }])
    expect(await stores().exports.replace({ ...one, version: 2 })).toBe(false)
  })

  test('a missing export job is not replaced', async () => {
    expect(await stores().exports.replace(aJob({ version: 2 }))).toBe(false)
  })
}
