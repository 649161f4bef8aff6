import { describe, expect, test } from 'vitest'
import { memoryEventSink } from '../../support/memory/memory-event-sink.ts'
import { settle } from '../../support/processes/manual-time.ts'
import { anEvent } from '../../support/records/records.ts'
import { spoolingProcess, inOrder, numbered, roomFor, sizeOfOne } from '../../support/connector/spooling-process.ts'

describe('an event that the queue does not take', () => {
  test('an event that waits for the queue is on disk half a second after it was read, and not at once', async () => {
    const { add, time, disk } = spoolingProcess('1')
    await time.advance(0)
    add('a1')

    await time.advance(240)
    expect(disk.writes).toBe(0)
    await time.advance(260)

    expect(disk.writes).toBe(1)
    expect([...disk.contents.values()].join('')).toContain('"id":"a1"')
  })

  test('an event that the queue accepts in time is never written to disk', async () => {
    const { add, time, disk, back, ids } = spoolingProcess('1')
    back()
    await time.advance(0)

    for (let second = 0; second < 5; second += 1) {
      add(`a${second}`)
      await time.advance(1_000)
    }

    expect([disk.writes, ids().length]).toEqual([0, 5])
  })

  test('a thousand events are written together, in few writes', async () => {
    const { add, time, disk } = spoolingProcess('1')
    await time.advance(0)

    add(...numbered('a', 500), ...numbered('b', 500))
    await time.advance(1_000)

    expect(disk.writes).toBeLessThanOrEqual(2)
  })

  test('an event that was sent leaves nothing on disk', async () => {
    const { add, time, disk, back, buffer, ids } = spoolingProcess('1')
    add(...numbered('a', 20))
    await time.advance(2_000)
    expect(buffer.spool.bytes).toBe(disk.used())
    expect(disk.used()).toBeGreaterThan(0)

    back()
    await time.advance(5_000)

    expect([disk.contents.size, buffer.spool.bytes, buffer.waiting]).toEqual([0, 0, 0])
    expect(ids()).toEqual(numbered('a', 20))
  })
})

describe('when memory is full', () => {
  test('events that do not fit into memory wait on disk, and all are sent in order when the queue is back', async () => {
    const { add, time, back, buffer, ids } = spoolingProcess('1', { memory: roomFor(8, 16) })
    for (let round = 0; round < 50; round += 1) {
      add(`a${round}`, `b${round}`)
      await time.advance(250)
    }
    expect(buffer.waiting).toBe(100)
    expect(buffer.spool.events).toBeGreaterThanOrEqual(84)
    expect(buffer.memoryBytes).toBeLessThanOrEqual(16 * sizeOfOne)

    back()
    add('a50', 'b50')
    await time.advance(10_000)

    for (const group of ['a', 'b']) {
      expect(ids().filter((id) => id.startsWith(group))).toEqual(numbered(group, 51))
    }
    expect([buffer.waiting, buffer.counts.dropped, buffer.spool.bytes]).toEqual([0, 0, 0])
  })

  test('events that arrive while the disk is read are sent after those on disk', async () => {
    const { add, time, back, ids } = spoolingProcess('1', { memory: roomFor(4, 8) })
    for (const id of numbered('a', 30)) {
      add(id)
      await time.advance(250)
    }

    back()
    for (let next = 30; next < 60; next += 1) {
      add(`a${next}`)
      await time.advance(100)
    }
    await time.advance(5_000)

    expect(ids()).toEqual(numbered('a', 60))
  })
})

test('a storm of events is written to disk as it arrives, without the usual wait of half a second', async () => {
  const mebi = 1024 * 1024
  const { buffer, time, back, ids } = spoolingProcess('1', { memory: { window: 2 * mebi, all: 6 * mebi }, bytes: 1e9 })
  await time.advance(0)

  for (let count = 0; count < 200; count += 1) {
    buffer.tell(anEvent({ id: `a${count}`, uuid: 'a', fields: { Filler: 'x'.repeat(100_000) } }))
    await settle()
  }
  back()
  await time.advance(10_000)

  expect(buffer.counts.dropped).toBe(0)
  expect(ids()).toEqual(numbered('a', 200))
})

test('no more events are read from disk than memory has room for', async () => {
  const memory = { window: 1_000_000, all: 2_000_000 }
  const sink = memoryEventSink()
  const { buffer, time, disk, back, drops } = spoolingProcess('1', {
    memory,
    bytes: 1e9,
    // The queue takes some events and then does not answer.
    sink: { ...sink, publish: (events) => (sink.published.length > 4 ? new Promise(() => {}) : sink.publish(events)) },
  })
  const add = async (count: number) => {
    for (let left = count; left > 0; left -= 1) {
      buffer.tell(anEvent({ uuid: 'a', fields: { Filler: 'x'.repeat(100_000) } }))
      await time.advance(100)
    }
  }
  await add(40)
  await time.advance(2_000)
  disk.beforeWrite = () => new Promise(() => {})
  await add(10)
  expect(buffer.memoryBytes).toBeGreaterThan(memory.all - 200_000)

  back()
  await time.advance(10_000)

  expect(sink.published.length).toBeGreaterThan(4)
  expect(buffer.memoryBytes).toBeLessThanOrEqual(memory.all)
  expect(drops).toEqual([])
})

test('the events of a file that the disk lost are counted, and the rest are sent', async () => {
  const { add, time, disk, back, buffer, ids } = spoolingProcess('1', { memory: roomFor(2, 8) })
  for (const id of numbered('a', 10)) {
    add(id)
    await time.advance(250)
  }
  const lost = buffer.spool.events
  for (const path of disk.contents.keys()) disk.contents.set(path, Buffer.alloc(0))

  back()
  add('b1')
  await time.advance(5_000)

  expect([ids().length + buffer.spool.damaged, buffer.waiting]).toEqual([11, 0])
  expect(buffer.spool.damaged).toBeGreaterThanOrEqual(lost)
  expect(lost).toBeGreaterThan(4)
})

describe('when the disk has no room', () => {
  test('events wait in memory when the disk is full, nothing else fails, and the fault is logged once', async () => {
    const { add, time, disk, back, buffer, ids, log } = spoolingProcess('1')
    disk.room = 100
    add(...numbered('a', 20))
    await time.advance(20_000)
    expect([buffer.spool.skipped, buffer.waiting]).toEqual([20, 20])
    expect(buffer.spool.failures).toBeGreaterThan(1)
    const logged = log.lines.filter(({ message }) => message.includes('the spool cannot be written'))
    expect(logged).toHaveLength(1)

    back()
    await time.advance(5_000)

    expect(ids()).toEqual(numbered('a', 20))
    expect(buffer.counts.dropped).toBe(0)
  })

  test('events are written when there is room again, each once', async () => {
    const { add, time, disk, buffer } = spoolingProcess('1', { memory: roomFor(4, 40) })
    disk.room = 1_000
    add(...numbered('a', 20))
    await time.advance(2_000)

    disk.room = Infinity
    await time.advance(10_000)
    expect(buffer.spool.events).toBe(16)
    const next = spoolingProcess('2', { disk })
    next.back()
    await next.time.advance(2_000)

    expect(next.ids()).toEqual(numbered('a', 20))
    expect(next.buffer.spool.damaged).toBe(0)
  })

  test('events of a failed write that could not be cut off are sent in order, under the same ids as their repetition', async () => {
    const { add, time, disk, buffer } = spoolingProcess('1', { memory: roomFor(4, 40) })
    disk.truncate = () => Promise.reject(new Error('EIO: i/o error'))
    add('a0', 'a1')
    await time.advance(1_000)
    disk.room = disk.used() + 3_000
    add(...numbered('a', 20).slice(2))
    await time.advance(2_000)
    expect(disk.used()).toBe(disk.room)

    disk.room = Infinity
    await time.advance(10_000)
    const next = spoolingProcess('2', { disk })
    next.back()
    await next.time.advance(2_000)

    expect(buffer.spool.events).toBe(16)
    expect([...new Set(next.ids())]).toEqual(numbered('a', 20))
    expect(next.buffer.spool.damaged).toBe(0)
  })

  test('events stay in memory and are sent if the folder is read-only', async () => {
    const { add, time, disk, back, ids, buffer } = spoolingProcess('1')
    disk.isReadOnly = true
    add(...numbered('a', 3))
    await time.advance(6_000)
    expect(buffer.spool.skipped).toBe(3)

    back()
    await time.advance(6_000)

    expect(ids()).toEqual(numbered('a', 3))
  })
})

describe('a disk that does not answer', () => {
  test('a disk that does not answer delays no event that fits into memory', async () => {
    const { add, time, disk, back, ids } = spoolingProcess('1', { memory: roomFor(4, 40) })
    disk.beforeWrite = () => new Promise(() => {})
    add(...numbered('a', 20))
    await time.advance(2_000)

    back()
    add('a20')
    await time.advance(5_000)

    expect(ids()).toEqual(numbered('a', 21))
  })
})

describe('a spool that is stopped', () => {
  test('a spool that is stopped writes all waiting events to disk, however young, and the next process sends them', async () => {
    const { add, time, disk, buffer } = spoolingProcess('1')
    await time.advance(0)
    add(...numbered('a', 5))

    expect(await buffer.close()).toBe(0)

    const next = spoolingProcess('2', { disk })
    next.back()
    await next.time.advance(1_000)
    expect(next.ids()).toEqual(numbered('a', 5))
  })

  test('a spool that is stopped counts as dropped what the disk does not accept', async () => {
    const { add, time, disk, buffer, drops } = spoolingProcess('1')
    await time.advance(0)
    disk.isReadOnly = true
    add(...numbered('a', 5))

    expect(await buffer.close()).toBe(5)

    expect(drops).toMatchObject([{ class: 2, count: 5 }])
  })
})

test('events keep their order if a batch is accepted in part while others wait on disk', async () => {
  const { add, time, back, sink, ids } = spoolingProcess('1', { memory: roomFor(4, 12) })
  for (let round = 0; round < 20; round += 1) {
    add(`a${round}`, `b${round}`)
    await time.advance(250)
  }
  let asked = 0
  sink.refuses = () => (asked += 1) % 3 === 0
  back()
  await time.advance(120_000)

  for (const group of ['a', 'b']) {
    const sent = ids().filter((id) => id.startsWith(group))
    expect(sent).toEqual(inOrder(numbered(group, 20)))
  }
})
