import { expect, test } from 'vitest'
import { Semaphore, limited, mapAtMost } from '../../../core/concurrency/semaphore.ts'
import { settle } from '../../support/processes/manual-time.ts'

test('work without a key may take all slots, and waits in the order in which it came', async () => {
  const semaphore = new Semaphore(2)
  const [first] = [await semaphore.take(), await semaphore.take()]
  const order: string[] = []
  for (const name of ['third', 'fourth']) void semaphore.take().then(() => order.push(name))
  await settle()
  expect(order).toEqual([])

  first?.()
  await settle()

  expect(order).toEqual(['third'])
  expect([semaphore.taken, semaphore.waiting]).toEqual([2, 1])
})

test('a slot is not given to work that stopped waiting', async () => {
  const semaphore = new Semaphore(1)
  const release = await semaphore.take()
  const stopping = new AbortController()
  const stopped = semaphore.take(undefined, stopping.signal)
  const patient = semaphore.take()

  stopping.abort()
  release?.()

  expect(await stopped).toBeUndefined()
  expect(await patient).toBeTypeOf('function')
  expect([semaphore.taken, semaphore.waiting]).toEqual([1, 0])
})

test('work that does not want to wait gets no slot while all are taken', async () => {
  const semaphore = new Semaphore(1)
  const release = semaphore.tryTake()

  expect(semaphore.tryTake()).toBeUndefined()
  release?.()

  expect(semaphore.tryTake()).toBeTypeOf('function')
})

test('work that fails releases its slot to the next', async () => {
  const run = limited(1)

  const failed = run(() => Promise.reject(new Error('no')))
  const next = run(async () => 'done')

  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('done')
})

test('three items at most are processed at a time, and the results keep the order of the items', async () => {
  let running = 0
  let most = 0
  const ends: (() => void)[] = []

  const results = mapAtMost([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    running += 1
    most = Math.max(most, running)
    await new Promise<void>((resolve) => ends.push(resolve))
    running -= 1
    return item * 10
  })
  for (let turn = 0; turn < 7; turn += 1) {
    await settle()
    ends.pop()?.()
  }

  expect(await results).toEqual([10, 20, 30, 40, 50, 60, 70])
  expect(most).toBe(3)
})

test('no further item is begun after a failure, and those under way end before it is thrown', async () => {
  const begun: number[] = []
  const slow = Promise.withResolvers<void>()
  let isThrown = false

  const all = mapAtMost([1, 2, 3, 4], 2, async (item) => {
    begun.push(item)
    if (item === 1) throw new Error('first')
    await slow.promise
  }).catch((problem: unknown) => {
    isThrown = true
    return problem
  })
  await settle()
  expect([begun, isThrown]).toEqual([[1, 2], false])
  slow.resolve()

  expect(await all).toEqual(new Error('first'))
  expect(begun).toEqual([1, 2])
})
