import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { memoryEventSink } from '../../support/memory/memory-event-sink.ts'
import { EventBuffer } from '../../../connector/buffer/event-buffer.ts'
import { processOwner, systemSpoolFiles } from '../../../connector/buffer/spool-files.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'
import { type ManualTime, manualTime, settle } from '../../support/processes/manual-time.ts'
import { spoolOwner } from '../../support/connector/memory-disk.ts'
import { anEvent } from '../../support/records/records.ts'

let folder: string
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'callplane-spool-')), 'spool')
})
afterEach(() => {
  rmSync(join(folder, '..'), { recursive: true, force: true })
})

/** An buffer over a real folder; the queue is away until the test says otherwise. */
function aBuffer(owner = processOwner()) {
  const time = manualTime()
  const sink = memoryEventSink()
  let isAway = true
  const buffer = new EventBuffer({
    ...time,
    log: capturedLog(),
    random: () => 0,
    sink: { publish: (events) => (isAway ? Promise.reject(new Error('gone')) : sink.publish(events)) },
    place: { folder, bytes: 1e6, files: systemSpoolFiles, owner },
  })
  buffer.start({ handle: async () => {} })
  return {
    buffer,
    time,
    sink,
    back: () => {
      isAway = false
    },
  }
}

/** Moves the time on until something is so; the disk takes its own. */
async function until(time: ManualTime, isSo: () => boolean) {
  while (!isSo()) await time.advance(250)
}

/** Waits until what was left is found, which must not take any time. */
async function found(buffer: EventBuffer, events: number) {
  while (buffer.spool.found < events) await settle()
}

const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  )

test("only the process's user can enter the folder and read its files, whatever the umask", async () => {
  const before = process.umask(0)
  const { buffer, time } = aBuffer()
  buffer.tell(anEvent())
  await until(time, () => buffer.spool.bytes > 0)
  process.umask(before)

  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
  expect(modeOf(folder)).toBe('700')
  expect(filesIn(folder).map(modeOf)).toEqual(['600'])
  await buffer.close()
})

test('events that one process leaves on disk are sent by another, and no file remains afterwards', async () => {
  const first = aBuffer(spoolOwner('1'))
  for (const id of ['a1', 'a2', 'a3']) first.buffer.tell(anEvent({ id, uuid: 'a' }))
  expect(await first.buffer.close()).toBe(0)

  const second = aBuffer(spoolOwner('2'))
  second.back()
  await found(second.buffer, 3)
  await until(second.time, () => second.sink.published.length === 3)
  await second.buffer.drained()
  await second.buffer.close()

  expect(second.sink.published.map(({ id }) => id)).toEqual(['a1', 'a2', 'a3'])
  expect(readdirSync(folder)).toEqual([])
})

test('events are sent from memory and none is dropped if the folder cannot be created', async () => {
  mkdirSync(join(folder, '..'), { recursive: true })
  writeFileSync(folder, 'a file stands where the folder should be')
  const { buffer, time, back, sink } = aBuffer()
  buffer.tell(anEvent({ id: 'one' }))
  await until(time, () => buffer.spool.skipped === 1)

  back()
  await until(time, () => sink.published.length === 1)

  expect(buffer.counts.dropped).toBe(0)
})

test('a folder that was removed while the process runs is created again', async () => {
  const { buffer, time } = aBuffer()
  buffer.tell(anEvent({ id: 'one' }))
  await until(time, () => buffer.spool.bytes > 0)
  rmSync(folder, { recursive: true })

  buffer.tell(anEvent({ id: 'two' }))
  await until(time, () => buffer.spool.failures > 0)
  await until(time, () => filesIn(join(folder, '..')).length > 0)

  expect(buffer.waiting).toBe(2)
  await buffer.close()
})
