import { expect, test } from 'vitest'
import { newSegment, patientReader } from '../../../connector/buffer/segment.ts'
import { memoryDisk } from '../../support/connector/memory-disk.ts'
import { manualTime } from '../../support/processes/manual-time.ts'

test('a file that is dropped while its disk fails is not read again', async () => {
  const time = manualTime()
  const segment = { ...newSegment('/spool', 1, 1, 0), size: 100, unread: 1 }
  let asked = 0
  const read = async () => {
    asked += 1
    throw Object.assign(new Error('the disk does not answer'), { code: 'EIO' })
  }
  const reader = patientReader({
    files: { ...memoryDisk(), read },
    timers: time.timers,
    signal: new AbortController().signal,
    onRefused: () => {},
  })
  const reading = reader(segment)
  await time.advance(1_000)
  const before = asked

  segment.unread = 0
  await time.advance(120_000)

  expect([before > 1, asked - before]).toEqual([true, 0])
  expect(await reading).toHaveLength(0)
})
