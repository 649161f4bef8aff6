import { expect, it } from 'vitest'
import { Places, limited } from '../../../packages/laptop/concurrency/places.ts'

it('work gets places in the order in which it came, and no more than there are', async () => {
  const places = new Places(1)
  const order: string[] = []
  const leave = await places.take()
  const work = async (name: string) => {
    const own = await places.take()
    order.push(name)
    own?.()
  }
  const all = Promise.all([work('first'), work('second')])

  expect([places.tryTake(), order]).toEqual([undefined, []])
  leave?.()
  await all

  expect(order).toEqual(['first', 'second'])
})

it('work that finds the queue full gets no place', async () => {
  const places = new Places(1, 1)
  const leave = places.tryTake()
  const waiting = places.take()

  expect(await places.take()).toBeUndefined()
  leave?.()
  expect(await waiting).toBeInstanceOf(Function)
})

it('work that gives up leaves the queue, and its turn goes to the next', async () => {
  const places = new Places(1, 2)
  const leave = places.tryTake()
  const patience = new AbortController()
  const impatient = places.take(patience.signal)
  const next = places.take()

  patience.abort()
  expect(await impatient).toBeUndefined()
  leave?.()

  expect(await next).toBeInstanceOf(Function)
  expect(await places.take(AbortSignal.abort())).toBeUndefined()
})

it('a place that is given back twice is free once', async () => {
  const places = new Places(2)
  const [leave] = [places.tryTake(), places.tryTake()]

  leave?.()
  leave?.()

  expect([places.tryTake() === undefined, places.tryTake() === undefined]).toEqual([false, true])
})

it('limited work gives its place back when it fails', async () => {
  const one = limited(1)

  await expect(one(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  await expect(one(async () => 'done')).resolves.toBe('done')
})
