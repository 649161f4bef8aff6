import { expect, test } from 'vitest'
import type { DropClass } from '../../../connector/spool/drop-class.ts'
import { readLines } from '../../../connector/spool/segment.ts'
import { SegmentLog } from '../../../connector/spool/segment-log.ts'
import { spoolLine } from '../../../connector/spool/spool-line.ts'
import { memoryDisk } from '../../support/connector/memory-disk.ts'
import { anEvent } from '../../support/records/records.ts'

const aLine = (id: string, dropClass: DropClass) => {
  const spooled = { dropClass, takenAt: 1, event: anEvent({ id }) }
  return { ...spooled, line: spoolLine(spooled) }
}

test('an event that is given up while its file is rewritten erases no other line', async () => {
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
