import { expect, test } from 'vitest'
import { textEvent } from '../../../adapters/events/text-event.ts'
import { entryLine } from '../../../connector/buffer/log-entry.ts'
import { leftSegment } from '../../../connector/buffer/segment.ts'
import { Segments } from '../../../connector/buffer/segments.ts'
import { memoryDisk } from '../../support/connector/memory-disk.ts'
import { settle } from '../../support/processes/manual-time.ts'
import { anEvent } from '../../support/records/records.ts'

const aLine = (id: string) => {
  const entry = {
    dropClass: 2,
    readAt: 1,
    number: 1,
    content: { engine: '', own: textEvent(anEvent({ id })) },
  } as const
  return { ...entry, line: entryLine(entry) }
}

/** Files whose entries are all on disk only, and whose first read waits until it is let go. */
async function withSlowRead(ids: readonly string[], bytes = 1_000_000) {
  const files = memoryDisk()
  const reading = Promise.withResolvers<void>()
  const dropped: number[] = []
  let reads = 0
  const segments = new Segments({
    files,
    folder: 'spool',
    bytes,
    segmentBytes: bytes / 2,
    read: async (segment) => {
      reads += 1
      const found = await files.read(segment.path, segment.readOffset, segment.size - segment.readOffset)
      if (reads === 1) await reading.promise
      return found
    },
    onDropped: ({ count }) => void dropped.push(count),
    onDamaged: () => {},
    onFailure: () => {},
  })
  segments.begin(2)
  for (const copy of await segments.append(ids.map(aLine))) segments.leave(copy, 2)
  const next = async () => (await segments.next())?.entry.content.own?.id
  return { files, segments, dropped, next, goOn: () => reading.resolve() }
}

test('an event that is dropped with its file while the file is read is not returned', async () => {
  const { segments, dropped, next, goOn } = await withSlowRead(['old', 'older'])
  const first = next()
  await settle()

  await segments.makeRoom(1_000_000 - segments.bytes + 1)
  for (const copy of await segments.append([aLine('new')])) segments.leave(copy, 2)
  goOn()

  expect([await first, await next()]).toEqual(['new', undefined])
  expect(dropped.filter((count) => count > 0)).toEqual([2])
})

test('an event of an older file that is found while a newer one is read is returned first', async () => {
  const { files, segments, next, goOn } = await withSlowRead(['young'])
  files.contents.set('spool/0000000001-0000000001-1.log', aLine('old').line)
  const first = next()
  await settle()

  segments.adopt(await leftSegment(files, 'spool', '0000000001-0000000001-1.log'))
  goOn()

  expect([await first, await next()]).toEqual(['old', 'young'])
})

test('a file whose last event is sent while a new one is written is kept', async () => {
  const { files, segments, next, goOn } = await withSlowRead(['first'])
  goOn()
  const first = await segments.next()
  const written = Promise.withResolvers<void>()
  files.beforeWrite = () => written.promise
  const writing = segments.append([aLine('second')])
  if (first !== undefined) segments.release(first.copy)
  await settle()
  written.resolve()
  for (const copy of await writing) segments.leave(copy, 2)

  expect(await next()).toBe('second')
})

test('an event that is larger than the whole spool is not stored, and no other event is dropped for it', async () => {
  const { segments, dropped, next, goOn } = await withSlowRead(['small'], 2_000)
  goOn()

  expect(await segments.makeRoom(2_001)).toBe(false)

  expect([await next(), dropped]).toEqual(['small', []])
})
