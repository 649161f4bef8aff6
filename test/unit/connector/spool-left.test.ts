import { describe, expect, test } from 'vitest'
import { pause } from '../../../core/concurrency/timers.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import type { MemoryDisk } from '../../support/connector/memory-disk.ts'
import { numbered, roomFor, spoolingProcess } from '../../support/connector/spooling-process.ts'

const error = (code: string) => Object.assign(new Error(`${code}: not now`), { code })

/** Fails so often, and then does what it did. */
function failing<Asked extends readonly unknown[], Answer>(
  code: string,
  times: number,
  work: (...asked: Asked) => Promise<Answer>,
) {
  let left = times
  return (...asked: Asked): Promise<Answer> => {
    left -= 1
    return left >= 0 ? Promise.reject(error(code)) : work(...asked)
  }
}

/** A disk with `a0` to `a49` of a process that was killed. */
async function leftBy(name: string, disk?: MemoryDisk) {
  const killed = spoolingProcess(name, disk === undefined ? {} : { disk })
  killed.add(...numbered('a', 50))
  await killed.time.advance(1_000)
  return killed
}

describe('what a killed process left, on a disk that takes its time,', () => {
  /** A process after the killed one, which sees an earlier file twenty seconds after it asked. */
  const onSlowDisk = async () => {
    const { disk, time: before } = await leftBy('1')
    const time = manualTime(before.clock.now())
    const look = disk.look.bind(disk)
    disk.look = async (path) => {
      await pause(time.timers, 20_000)
      return look(path)
    }
    const next = spoolingProcess('2', { disk, time })
    next.back()
    return next
  }

  test('events of a killed process on a slow disk are sent once they are read, and new events wait for them five seconds at most', async () => {
    const next = await onSlowDisk()
    next.add('b0')
    await next.time.advance(4_900)
    expect(next.ids()).toEqual([])
    await next.time.advance(200)
    expect(next.ids()).toEqual(['b0'])
    await next.time.advance(60_000)

    expect(next.ids()).toEqual(['b0', ...numbered('a', 50)])
    expect([next.buffer.spool.found, next.buffer.waiting, next.disk.contents.size]).toEqual([50, 0, 0])
  })

  test('a flush waits for the events of a killed process on a slow disk', async () => {
    const next = await onSlowDisk()
    let isDrained = false
    void next.buffer.drained().then(() => (isDrained = true))
    await next.time.advance(19_000)
    expect(isDrained).toBe(false)
    await next.time.advance(60_000)

    expect([isDrained, next.ids().length]).toEqual([true, 50])
  })

  test('a process that stops before it finds the events of a killed one leaves them to the next', async () => {
    const next = await onSlowDisk()
    await next.time.advance(7_000)
    expect(await next.buffer.close()).toBe(0)
    await next.time.advance(60_000)
    expect(next.ids()).toEqual([])

    const last = spoolingProcess('3', { disk: next.disk, time: next.time })
    last.back()
    await last.time.advance(60_000)

    expect(last.ids()).toEqual(numbered('a', 50))
    expect(last.taken).toEqual(['2'])
  })
})

describe('a step that fails once while what was left is looked for', () => {
  test.each(['list', 'makeLock', 'look', 'read'] as const)(
    'a step that fails once costs neither events nor their order: %s',
    async (step) => {
      const { disk } = await leftBy('1')
      switch (step) {
        case 'list':
          disk.list = failing('EMFILE', 1, disk.list.bind(disk))
          break
        case 'makeLock':
          disk.makeLock = failing('EMFILE', 1, disk.makeLock.bind(disk))
          break
        case 'look':
          disk.look = failing('EMFILE', 1, disk.look.bind(disk))
          break
        case 'read':
          disk.read = failing('EMFILE', 1, disk.read.bind(disk))
          break
      }
      const next = spoolingProcess('2', { disk })
      next.back()
      next.add('a50')
      await next.time.advance(5_000)

      expect(next.ids()).toEqual(numbered('a', 51))
      expect([next.buffer.spool.failures, next.buffer.spool.found]).toEqual([1, 50])
      expect(next.log.lines.map(({ message }) => message)).toEqual([
        ['look', 'read'].includes(step)
          ? 'what an earlier process left cannot be looked through; it will be tried again'
          : 'the spool folder cannot be locked: events wait in memory only; it will be tried again',
        'events of an earlier process were found',
      ])
    },
  )
})

test('a file that fails for hours is skipped and reported as a loss after four seconds, and left to the next process', async () => {
  const firstAt = manualTime().clock.now()
  const first = await leftBy('1')
  const second = spoolingProcess('2', { disk: first.disk, time: first.time })
  // The second process has found the events of the first, and not sent them.
  second.add('b0', 'b1')
  await second.time.advance(1_000)
  const { disk } = second
  const look = disk.look.bind(disk)
  let isBroken = true
  disk.look = async (path) => {
    const seen = await look(path)
    // The file of the first process is the larger one.
    if (isBroken && seen.size > 10_000) throw error('EACCES')
    return seen
  }
  const third = spoolingProcess('3', { disk, time: manualTime(second.time.clock.now()) })
  third.back()
  third.add('c0')
  await third.time.advance(10_000)

  expect(third.ids().toSorted()).toEqual(['b0', 'b1', 'c0'])
  expect(third.drops).toMatchObject([{ class: 1, count: 1, from: firstAt }])
  expect(third.buffer.spool.failures).toBe(5)
  isBroken = false
  expect(await third.buffer.close()).toBe(0)
  const last = spoolingProcess('4', { disk })
  last.back()
  await last.time.advance(10_000)
  expect(last.ids()).toEqual(numbered('a', 50))
  expect(disk.contents.size).toBe(0)
})

test("events that are being written while an earlier process's files are found are kept", async () => {
  const { disk } = await leftBy('1')
  const written = Promise.withResolvers<void>()
  const found = Promise.withResolvers<void>()
  const list = disk.list.bind(disk)
  disk.list = async (folder) => {
    await found.promise
    return list(folder)
  }
  const next = spoolingProcess('2', { disk, memory: roomFor(4, 40) })
  next.add(...numbered('b', 20))
  disk.beforeWrite = () => written.promise
  await next.time.advance(1_000)
  found.resolve()
  await next.time.advance(1_000)
  written.resolve()
  await next.time.advance(1_000)
  next.back()
  await next.time.advance(10_000)

  for (const [call, count] of [
    ['a', 50],
    ['b', 20],
  ] as const) {
    expect(next.ids().filter((id) => id.startsWith(call))).toEqual(numbered(call, count))
  }
})
