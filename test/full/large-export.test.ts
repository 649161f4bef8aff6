import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { openSearchCdrStore } from '../../adapters/opensearch/opensearch-cdr-store.ts'
import { s3ExportFiles } from '../../adapters/s3/s3-file-store.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import { exportKey } from '../../core/cdr/exports/export-job.ts'
import { aCdr } from '../support/records/cdrs.ts'
import { startObjectServer } from '../support/stores/object-server.ts'
import { opened } from '../support/processes/opened.ts'
import { anExport } from '../support/records/records.ts'
import { startSearchServer } from '../support/stores/search-server.ts'

const count = 100_000
const bulk = 1000
const uuidOf = (index: number) => `c0ffee00-0000-4000-8000-${String(index).padStart(12, '0')}`

/** 100 MB in all, more than the process that writes them may hold. */
const note = 'n'.repeat(960)

const rig = opened(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'export-'))
  const search = await startSearchServer(join(folder, 'search.sqlite'))
  const objects = await startObjectServer()
  return {
    search,
    objects,
    async close() {
      await Promise.all([search.close(), objects.close()])
      rmSync(folder, { recursive: true })
    },
  }
})

/** Puts the CDRs into the search server, together with as many of another tenant in the same time. */
async function load(): Promise<void> {
  const store = openSearchCdrStore({ env: rig().search.env, clock: systemClock, random: systemRandomness })
  const since = systemClock.now() - count
  for (let first = 0; first < count; first += bulk) {
    const cdrs = Array.from({ length: bulk }, (_, index) => {
      const number = first + index
      return aCdr({ uuid: uuidOf(number), created_time: since + number, variables: { note } })
    })
    const others = cdrs
      .filter((_, index) => index % 10 === 0)
      .map(({ uuid, created_time }) => aCdr({ uuid, created_time, domain_name: 'b.example.com', variables: { note } }))
    const refused = await store.index([...cdrs, ...others].map((cdr) => ({ source: 'event', cdr })))
    if (refused.length > 0) throw new Error(`refused: ${refused[0]?.reason}`)
    rig().search.requests.length = 0
  }
}

test('100 000 rows are exported once and in order by a process that cannot hold them in memory', async () => {
  await load()
  const body = { columns: ['uuid', 'variables.note'], sort: { created_time: 'asc' } }
  const { search, objects } = rig()
  const child = spawn(process.execPath, ['--max-old-space-size=64', 'test/support/stores/write-export.ts'], {
    env: { ...process.env, ...search.env, ...objects.env, EXPORT_BODY: JSON.stringify(body) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])

  expect(code).toBe(0)
  const printed: unknown = JSON.parse(output)
  expect(printed).toMatchObject({ end: 'done', rows: count, size: expect.toSatisfy((size) => size > 99_000_000) })
  expect(printed).toMatchObject({ memoryMb: expect.toSatisfy((memory) => memory < 250) })

  const files = s3ExportFiles({ env: objects.env, clock: systemClock, random: systemRandomness })
  const link = await files.sign({
    key: exportKey(anExport()),
    contentType: 'text/csv',
    disposition: 'inline',
    seconds: 60,
  })
  const response = await fetch(link.url)
  const lines = createInterface({ input: Readable.from(response.body ?? []) })
  let row = -1
  for await (const line of lines) {
    if (row >= 0 && line !== `${uuidOf(row)},${note}`) throw new Error(`row ${row} is ${line.slice(0, 60)}`)
    row += 1
  }
  expect(row).toBe(count)
})
