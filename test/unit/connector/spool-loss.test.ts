import { describe, expect, test } from 'vitest'
import { textEvent } from '../../../adapters/events/text-event.ts'
import { sizeOf } from '../../../connector/buffer/waiting.ts'
import { type MemoryDisk, memoryDisk } from '../../support/connector/memory-disk.ts'
import { anEvent } from '../../support/records/records.ts'
import { type SpoolingProcess, numbered, roomFor, spoolingProcess } from '../../support/connector/spooling-process.ts'

const large = (id: string) => anEvent({ id, uuid: 'a', name: 'CHANNEL_HOLD', fields: { Filler: 'x'.repeat(2_000) } })

/** The ways in which a process ends. */
const ends = [
  { how: 'is killed', end: async () => {} },
  { how: 'stops', end: async ({ buffer }: SpoolingProcess) => expect(await buffer.close()).toBe(0) },
]

test.each(ends)('a full disk gives up no event that is in memory as well; its process $how', async ({ end }) => {
  const size = sizeOf(textEvent(large('a0')))
  const one = spoolingProcess('1', { memory: { window: 8 * size, all: 40 * size }, bytes: 128 * 1024 })
  await one.time.advance(0)
  for (let count = 0; count < 100; count += 1) {
    one.buffer.tell(large(`a${count}`))
    if (count % 3 === 2) await one.time.advance(300)
  }
  await one.time.advance(2_000)
  expect(one.disk.used()).toBeLessThanOrEqual(128 * 1024)
  expect(one.buffer.spool.bytes).toBe(one.disk.used())
  await end(one)

  const next = spoolingProcess('2', { disk: one.disk })
  next.back()
  await next.time.advance(60_000)

  expect(next.ids().slice(0, 8)).toEqual(numbered('a', 8))
  expect(next.ids().length + one.buffer.counts.dropped).toBe(100)
  expect([next.buffer.spool.damaged, next.disk.contents.size]).toEqual([0, 0])
})

describe('a file that cannot be read', () => {
  /** A process with 200 events, nearly all on disk, before a queue that is back. */
  const laden = async () => {
    const process = spoolingProcess('1', { memory: roomFor(4, 40) })
    await process.time.advance(0)
    for (const id of numbered('a', 200)) {
      process.add(id)
      await process.time.advance(100)
    }
    await process.time.advance(1_000)
    expect(process.buffer.spool.events).toBe(196)
    process.back()
    return process
  }
  /** Refuses so many reads, or all until it is mended. */
  const refuse = (disk: MemoryDisk, code: string, times: number) => {
    const read = disk.read.bind(disk)
    let left = times
    disk.read = async (...asked) => {
      left -= 1
      if (left >= 0) throw Object.assign(new Error(`${code}: it cannot be read`), { code })
      return read(...asked)
    }
    return () => {
      disk.read = read
    }
  }

  test.each(['EMFILE', 'EIO'])('a file that can be read later costs no event (%s)', async (code) => {
    const { time, disk, buffer, ids, drops, log } = await laden()
    refuse(disk, code, 6)
    await time.advance(60_000)

    expect(ids()).toEqual(numbered('a', 200))
    expect([buffer.spool.failures, buffer.spool.damaged, buffer.counts.dropped, drops.length]).toEqual([6, 0, 0, 0])
    expect(log.lines.filter(({ message }) => message.includes('the spool cannot be read'))).toHaveLength(1)
    expect(disk.contents.size).toBe(0)
  })

  test('a file that cannot be read for lack of file handles is retried, and its events do not count as dropped', async () => {
    const { time, disk, ids, buffer } = await laden()
    refuse(disk, 'EMFILE', 100)
    await time.advance(3_600_000)

    expect([ids().length, buffer.counts.dropped]).toEqual([200, 0])
  })

  test('a file that cannot be read for two minutes counts as dropped events', async () => {
    const { time, disk, ids, buffer, drops, add } = await laden()
    const before = time.clock.now()
    refuse(disk, 'EIO', Infinity)
    await time.advance(100_000)
    expect(buffer.counts.dropped).toBe(0)
    await time.advance(60_000)

    expect(ids()).toEqual(numbered('a', 4))
    expect([buffer.counts.dropped, buffer.spool.damaged, buffer.waiting]).toEqual([196, 196, 0])
    expect(drops).toMatchObject([{ class: 2, count: 196 }])
    expect(drops[0]?.from).toBeGreaterThan(before - 25_000)
    expect(drops[0]?.to).toBeLessThan(before)
    add('b0')
    await time.advance(1_000)
    expect(ids().at(-1)).toBe('b0')
  })

  test('the events of a missing file count as dropped at once', async () => {
    const { time, disk, ids, buffer, drops } = await laden()
    disk.contents.clear()
    await time.advance(5_000)

    expect(ids()).toEqual(numbered('a', 4))
    expect([buffer.counts.dropped, buffer.waiting]).toEqual([196, 0])
    expect(drops).toMatchObject([{ class: 2, count: 196 }])
  })

  test('a file that cannot be read does not delay a stop, and is left to the next process', async () => {
    const { time, disk, ids, buffer } = await laden()
    const mend = refuse(disk, 'EIO', Infinity)
    await time.advance(10_000)
    expect(buffer.spool.failures).toBeGreaterThan(1)
    expect(await buffer.close()).toBe(0)
    mend()

    const next = spoolingProcess('2', { disk })
    next.back()
    await next.time.advance(60_000)

    expect([...new Set([...ids(), ...next.ids()])]).toEqual(numbered('a', 200))
  })
})

test('the loss of an unreadable file begins at the time in its name', async () => {
  const since = Date.UTC(2026, 0, 15, 11)
  const disk = memoryDisk()
  disk.contents.set(`/spool/0000000001-0000000001-${since}.log`, Buffer.from('no line of a spool\n'))
  const next = spoolingProcess('2', { disk })
  next.back()
  await next.time.advance(5_000)

  expect(next.drops).toEqual([{ class: 1, count: 1, from: since, to: since }])
})

test('a full disk gives up its oldest file, whatever its events say, and counts them by class', async () => {
  const one = spoolingProcess('1', { memory: roomFor(4, 400), bytes: 128 * 1024 })
  await one.time.advance(0)
  const names = ['CHANNEL_DESTROY', 'CHANNEL_HOLD', 'HEARTBEAT']
  const given: string[] = []
  for (let count = 0; one.buffer.counts.dropped === 0; count += 1) {
    const name = names[count % 3] ?? ''
    given.push(`e${count}`)
    one.buffer.tell(anEvent({ id: `e${count}`, uuid: name === 'HEARTBEAT' ? '' : 'a', name }))
    if (count % 4 === 3) await one.time.advance(250)
  }
  await one.time.advance(2_000)
  const { dropped, droppedByClass } = one.buffer.counts
  for (const of of [1, 2, 3] as const) {
    expect(Math.round((3 * droppedByClass[of]) / dropped)).toBe(1)
    expect(one.drops.find((drop) => drop.class === of)?.count).toBe(droppedByClass[of])
  }
  one.back()
  await one.time.advance(60_000)

  // The first four were in memory.
  const left = [...given.slice(0, 4), ...given.slice(4 + dropped)]
  expect(one.ids().toSorted()).toEqual(left.toSorted())
})
