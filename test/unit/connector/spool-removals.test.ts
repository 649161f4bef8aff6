import { expect, test } from 'vitest'
import type { MemoryDisk } from '../../support/connector/memory-disk.ts'
import { anEvent } from '../../support/records/records.ts'
import { numbered, roomFor, spoolingProcess } from '../../support/connector/spooling-process.ts'

/** Refuses to remove files until it is called. */
function keepFiles(disk: MemoryDisk): () => void {
  const remove = disk.remove.bind(disk)
  disk.remove = async () => Promise.reject(new Error('EBUSY: resource busy'))
  return () => {
    disk.remove = remove
  }
}

/** A process whose events are sent, and stay on the disk, since it removes no file. */
async function withSentEvents() {
  const one = spoolingProcess('1')
  one.add(...numbered('a', 20))
  await one.time.advance(2_000)
  const mend = keepFiles(one.disk)
  one.back()
  await one.time.advance(20_000)
  return { one, mend }
}

test('a file that could not be removed counts as used room', async () => {
  const { one } = await withSentEvents()
  expect(one.ids()).toEqual(numbered('a', 20))
  expect(one.disk.used()).toBeGreaterThan(0)
  expect(one.buffer.spool.bytes).toBe(one.disk.used())
  expect(one.buffer.spool.failures).toBe(1)
})

test('a file that could not be removed is removed when the process stops, with the lock of the folder', async () => {
  const { one, mend } = await withSentEvents()
  mend()

  await one.buffer.close()

  expect(await one.disk.list('/spool')).toEqual([])
})

test('a full disk that removes no file drops one file for each attempt to write, not all of them', async () => {
  const one = spoolingProcess('1', { memory: roomFor(4, 1_000), bytes: 512 * 1024 })
  await one.time.advance(0)
  const add = (count: number) =>
    one.buffer.tell(anEvent({ id: `a${count}`, uuid: 'a', fields: { Filler: 'x'.repeat(2_000) } }))
  for (let count = 0; one.disk.used() < 440 * 1024; count += 1) {
    add(count)
    await one.time.advance(100)
  }
  expect(one.buffer.counts.dropped).toBe(0)
  const mend = keepFiles(one.disk)

  for (let count = 1_000; count < 1_050; count += 1) add(count)
  await one.time.advance(2_000)
  const { dropped } = one.buffer.counts
  mend()
  await one.time.advance(12_000)

  expect(dropped).toBeLessThan(96)
  expect(one.buffer.spool.bytes).toBe(one.disk.used())
  expect(one.buffer.spool.bytes).toBeLessThanOrEqual(512 * 1024)
})
