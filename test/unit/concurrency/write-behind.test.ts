import { expect, test } from 'vitest'
import { type WriteBehindDeps, writeBehind } from '../../../core/concurrency/write-behind.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'

/** A list of what waits, written one by one to a store that can be gone. */
function aWriter(pace: Pick<WriteBehindDeps, 'paceMs' | 'nextMs'> = {}) {
  const time = manualTime(0)
  const waiting: string[] = []
  const written: string[] = []
  const at: number[] = []
  const failures: number[] = []
  const store = { isGone: false, writing: async () => {} }
  const write = async () => {
    const [next] = waiting
    if (next === undefined) return false
    at.push(time.clock.now())
    await store.writing()
    if (store.isGone) throw new Error('gone')
    written.push(next)
    waiting.shift()
    return true
  }
  const onFailure = (_problem: unknown, count: number) => failures.push(count)
  const writer = writeBehind({ ...pace, write, onFailure, timers: time.timers, random: () => 0 })
  const add = (...more: string[]) => {
    waiting.push(...more)
    writer.wake()
  }
  const addSilently = (item: string) => waiting.push(item)
  return { time, writer, add, addSilently, written, at, failures, store }
}

test('waiting values are written after the caller has continued', async () => {
  const { writer, add, written } = aWriter()

  add('a', 'b')
  expect(written).toEqual([])
  await writer.settled()

  expect(written).toEqual(['a', 'b'])
})

test('a value that arrives as the last write ends is written too', async () => {
  const { writer, add, written, store } = aWriter()
  let isLate = false
  store.writing = async () => {
    if (isLate) return
    isLate = true
    queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => add('late')))))
  }

  add('a')
  await settle()
  await writer.settled()

  expect(written).toEqual(['a', 'late'])
})

test('a failed write is retried with growing waits, which start over after a success', async () => {
  const { time, add, at, failures, store, written } = aWriter()
  store.isGone = true
  add('a')
  await time.advance(1_000)
  store.isGone = false
  await time.advance(1_000)
  store.isGone = true

  add('b')
  await time.advance(300)

  expect(at).toEqual([0, 250, 750, 1_750, 2_000, 2_250])
  expect([failures, written]).toEqual([[1, 2, 3, 1, 2], ['a']])
})

test('a flush ends the wait between attempts, and ends with the first failure after it', async () => {
  const { time, writer, add, at, store } = aWriter()
  store.isGone = true
  add('a')
  await time.advance(1_000)

  await writer.flushed()

  expect(at).toEqual([0, 250, 750, 1_000])
  await time.advance(10_000)
  expect(at.length).toBeGreaterThan(4)
})

test('a flush during an attempt waits for one more, since the first may have missed the newest value', async () => {
  const { writer, add, written, store } = aWriter()
  const first = Promise.withResolvers<void>()
  store.writing = () => first.promise
  store.isGone = true
  add('a')
  await settle()

  const flushed = writer.flushed()
  first.reject(new Error('gone'))
  await Promise.resolve()
  store.writing = async () => {}
  store.isGone = false
  await flushed

  expect(written).toEqual(['a'])
})

test('a flush of an empty queue ends at once', async () => {
  const { writer, at } = aWriter()

  await writer.flushed()

  expect(at).toEqual([])
})

test('a flush does not wait for the pace between writes', async () => {
  const { time, writer, add, at } = aWriter({ paceMs: () => 50 })

  add('a', 'b', 'c')
  await time.advance(60)
  expect(at).toEqual([0, 50])
  await writer.flushed()

  expect(at).toEqual([0, 50, 60])
})

test('values that become due by time are written without a wake-up', async () => {
  const { time, add, addSilently, written } = aWriter({ nextMs: () => 1_000 })
  add('a')
  await time.advance(500)

  addSilently('b')
  await time.advance(499)
  expect(written).toEqual(['a'])
  await time.advance(1)

  expect(written).toEqual(['a', 'b'])
})
