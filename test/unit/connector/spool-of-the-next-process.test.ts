import { describe, expect, test } from 'vitest'
import { manualTime } from '../../support/processes/manual-time.ts'
import { memoryDisk } from '../../support/connector/memory-disk.ts'
import { spoolingProcess, numbered, roomFor } from '../../support/connector/spooling-process.ts'

describe('the next process', () => {
  test('the next process sends the events of a killed one first, under the same ids', async () => {
    const killed = spoolingProcess('1')
    killed.add(...numbered('a', 5))
    await killed.time.advance(1_000)

    const next = spoolingProcess('2', { disk: killed.disk })
    next.back()
    next.add('a5', 'a6')
    await next.time.advance(1_000)

    expect(next.ids()).toEqual(numbered('a', 7))
    expect(next.buffer.spool.found).toBe(5)
    expect(next.disk.contents.size).toBe(0)
  })

  test('a third process sends the events of two killed ones, each in its order', async () => {
    const first = spoolingProcess('1', { memory: roomFor(2, 8) })
    for (const id of numbered('a', 6)) {
      first.add(id)
      await first.time.advance(300)
    }
    const second = spoolingProcess('2', { disk: first.disk, memory: roomFor(2, 8) })
    second.add('a6', 'a7', 'a8')
    await second.time.advance(1_000)

    const third = spoolingProcess('3', { disk: first.disk })
    third.back()
    third.add('a9')
    await third.time.advance(5_000)

    expect(third.ids()).toEqual(numbered('a', 10))
  })

  test('a process does not touch the folder of a running one, and keeps its events in memory', async () => {
    const first = spoolingProcess('1')
    first.add('a1')
    await first.time.advance(1_000)

    const second = spoolingProcess('2', { disk: first.disk, alive: new Set(['1']) })
    second.back()
    second.add('b1')
    await second.time.advance(5_500)

    expect(second.ids()).toEqual(['b1'])
    first.back()
    await first.time.advance(5_000)
    expect(first.ids()).toEqual(['a1'])
  })

  test('one of two processes that start at once takes over the events on disk', async () => {
    const killed = spoolingProcess('1')
    killed.add(...numbered('a', 5))
    await killed.time.advance(1_000)

    const both = ['2', '3'].map((name) => spoolingProcess(name, { disk: killed.disk, alive: new Set(['2', '3']) }))
    for (const one of both) one.back()
    for (const one of both) await one.time.advance(1_000)

    expect(both.map((one) => one.buffer.spool.found).toSorted((a, b) => a - b)).toEqual([0, 5])
    expect(both.flatMap((one) => one.ids())).toEqual(numbered('a', 5))
  })

  test('a process that cannot write to the disk leaves the events on it to the next one', async () => {
    const killed = spoolingProcess('1')
    killed.add('a0')
    await killed.time.advance(1_000)
    killed.disk.isReadOnly = true
    const next = spoolingProcess('2', { disk: killed.disk })
    next.back()
    next.add('a1')
    await next.time.advance(6_000)
    expect(next.ids()).toEqual(['a1'])

    killed.disk.isReadOnly = false
    const last = spoolingProcess('3', { disk: killed.disk })
    last.back()
    await last.time.advance(1_000)

    expect(last.ids()).toEqual(['a0'])
  })

  test('the next process starts whatever bytes are in the folder', async () => {
    const disk = memoryDisk()
    const line = 'x'.repeat(6 * 1024 * 1024)
    disk.contents.set('/spool/0000000001-0000000001-5.log', Buffer.from([0xff, 0xfe, 0, 10, 10]))
    disk.contents.set('/spool/0000000001-0000000002-5.log', Buffer.from(line))
    disk.contents.set('/spool/0000000001-0000000003-5.log', Buffer.alloc(0))
    disk.contents.set('/spool/notes.txt', Buffer.from('kept'))
    disk.contents.set('/spool/readme', Buffer.from('kept'))

    const next = spoolingProcess('2', { disk })
    next.back()
    next.add('a1')
    await next.time.advance(1_000)

    expect(next.ids()).toEqual(['a1'])
    expect(next.buffer.waiting).toBe(0)
    expect([...disk.contents.values()].join()).toBe('kept,kept')
  })

  test('events that are older than the retention of the queue are dropped and counted', async () => {
    const killed = spoolingProcess('1')
    killed.add('a1', 'a2')
    await killed.time.advance(1_000)

    const late = manualTime(killed.time.clock.now() + 5 * 24 * 3_600_000)
    const next = spoolingProcess('2', { disk: killed.disk, time: late })
    next.back()
    next.add('a3')
    await next.time.advance(2_000)

    expect(next.ids()).toEqual(['a3'])
    expect(next.drops).toMatchObject([{ class: 2, count: 2 }])
  })

  test('an event that was dropped is not sent by the next process, which sends those in whose favour it was dropped', async () => {
    const killed = spoolingProcess('1', { memory: roomFor(3) })
    killed.add('a0', 'a1', 'a2')
    await killed.time.advance(1_000)
    killed.disk.room = killed.disk.used()
    killed.add('a3')
    await killed.time.advance(100)
    expect(killed.buffer.counts.dropped).toBe(1)

    const next = spoolingProcess('2', { disk: killed.disk })
    next.back()
    await next.time.advance(1_000)

    expect([next.ids(), next.buffer.spool.damaged]).toEqual([['a0', 'a1', 'a2'], 0])
  })
})
