import { expect, test } from 'vitest'
import type { DropClass } from '../../../connector/buffer/drop-class.ts'
import { leftSegment, readLines } from '../../../connector/buffer/segment.ts'
import { SegmentLog } from '../../../connector/buffer/segment-log.ts'
import { spoolLine } from '../../../connector/buffer/spool-line.ts'
import { memoryDisk } from '../../support/connector/memory-disk.ts'
import { settle } from '../../support/processes/manual-time.ts'
import { anEvent } from '../../support/records/records.ts'

const aLine = (id: string, dropClass: DropClass) => {
  const spooled = { dropClass, takenAt: 1, event: anEvent({ id }) }
  return { ...spooled, line: spoolLine(spooled) }
}

test('an event that is dropped while its file is rewritten erases no other line', async () => {
  const files = memoryDisk()
  const damaged: unknown[] = []
  const lines = [aLine('in-memory', 2), aLine('unimportant', 3), aLine('end', 1)]
  const size = lines.reduce((sum, { line }) => sum + line.length, 0)
  const log = new SegmentLog({
    files,
    folder: 'spool',
    bytes: 2 * size,
    segmentBytes: size,
    read: (segment) => readLines(files, segment, segment.readOffset),
    onDropped: () => {},
    onDamaged: (lost) => damaged.push(lost),
    onFailure: () => {},
  })
  log.begin(1)
  const [inMemory, ...others] = await log.append(lines)
  if (inMemory === undefined) throw new TypeError('nothing was written')
  for (const copy of others) log.leave(copy)

  const makingRoom = log.makeRoom(1, 3)
  log.release(inMemory)
  await Promise.all([makingRoom, log.erase(inMemory)])

  expect([(await log.next())?.event.id, damaged]).toEqual(['end', []])
})

/** A log whose events are all on disk only, and whose first read waits until it is let go. */
async function withSlowRead(lines: readonly ReturnType<typeof aLine>[]) {
  const files = memoryDisk()
  const reading = Promise.withResolvers<void>()
  let reads = 0
  const log = new SegmentLog({
    files,
    folder: 'spool',
    bytes: 1_000_000,
    segmentBytes: 500_000,
    read: async (segment) => {
      reads += 1
      const found = await readLines(files, segment, segment.readOffset)
      if (reads === 1) await reading.promise
      return found
    },
    onDropped: () => {},
    onDamaged: () => {},
    onFailure: () => {},
  })
  log.begin(2)
  for (const copy of await log.append(lines)) log.leave(copy)
  return { files, log, goOn: () => reading.resolve() }
}

test('an event that is dropped from a file while the file is read is not returned', async () => {
  const { log, goOn } = await withSlowRead([aLine('unimportant', 3), aLine('end', 1), aLine('last', 1)])
  const first = log.next()
  await settle()

  await log.makeRoom(500_000 - log.bytes + 1, 3)
  goOn()

  expect([(await first)?.event.id, (await log.next())?.event.id]).toEqual(['end', 'last'])
  expect(await log.next()).toBeUndefined()
})

test('an event of an older file that is found while a newer one is read is returned first', async () => {
  const { files, log, goOn } = await withSlowRead([aLine('young', 2)])
  files.contents.set('spool/0000000001-0000000001-1.log', aLine('old', 2).line)
  const first = log.next()
  await settle()

  log.adopt(await leftSegment(files, 'spool', '0000000001-0000000001-1.log'))
  goOn()

  expect([(await first)?.event.id, (await log.next())?.event.id]).toEqual(['old', 'young'])
})

test('a file whose last event is sent while a new one is written is kept', async () => {
  const { files, log, goOn } = await withSlowRead([aLine('first', 2)])
  goOn()
  const first = await log.next()
  const written = Promise.withResolvers<void>()
  files.beforeWrite = () => written.promise
  const writing = log.append([aLine('second', 2)])
  if (first !== undefined) log.release(first.copy)
  await settle()
  written.resolve()
  for (const copy of await writing) log.leave(copy)

  expect((await log.next())?.event.id).toBe('second')
})

test('an event that is larger than the whole spool is not stored, and no other event is dropped for it', async () => {
  const files = memoryDisk()
  const dropped: unknown[] = []
  const log = new SegmentLog({
    files,
    folder: 'spool',
    bytes: 1_000,
    segmentBytes: 500,
    read: (segment) => readLines(files, segment, segment.readOffset),
    onDropped: (drop) => dropped.push(drop),
    onDamaged: () => {},
    onFailure: () => {},
  })
  log.begin(1)
  const [unimportant] = await log.append([aLine('unimportant', 3)])
  if (unimportant === undefined) throw new TypeError('nothing was written')
  log.leave(unimportant)

  expect(await log.makeRoom(501, 1)).toBe(false)

  expect([(await log.next())?.event.id, dropped]).toEqual(['unimportant', []])
})
